//! The demo data keeps every invariant, also where it is large.

use sqlx::PgPool;
use stagedoor::{
    demo::{self, DemoError, Size},
    verify,
};

use crate::support::{Concert, Office, app, pool, read_one, run_sql};

/// Enough to have every kind of reservation.
const SMALL: Size = Size { programs: 2, performances: 2 };

async fn counts(db: &PgPool) -> (u64, u64, u64) {
    let (seats, reservations, accounts): (i64, i64, i64) = sqlx::query_as(
        "select (select count(*) from schedule_seats
                 join schedules on schedules.id = schedule_id
                 join programs on programs.id = program_id where slug like 'season-%'),
             (select count(*) from reservations
              join programs on programs.id = program_id where slug like 'season-%'),
             (select count(*) from accounts where email like 'visitor-%')",
    )
    .fetch_one(db)
    .await
    .unwrap();
    (seats.unsigned_abs(), reservations.unsigned_abs(), accounts.unsigned_abs())
}

#[sqlx::test]
async fn a_large_office_is_sound_and_filled_once(db: PgPool) {
    let app = app(&db).await;
    assert!(demo::load(&app.db).await.unwrap());
    let mut told = Vec::new();
    assert!(demo::load_large(&app.db, SMALL, |nth| told.push(nth)).await.unwrap());
    assert_eq!(told, [1, 2]);
    let expected = (SMALL.schedule_seats(), SMALL.reservations(), SMALL.accounts());
    assert_eq!(expected, (4_000, 800, 400));
    assert_eq!(counts(&db).await, expected);

    let found = verify::verify(&app.db, &app.redis).await.unwrap();
    assert!(found.is_empty(), "{found:#?}");
    let kinds: i64 = read_one(&db, "select count(distinct status) from reservations").await;
    assert_eq!(kinds, 4);

    assert!(!demo::load_large(&app.db, SMALL, |_| ()).await.unwrap());
    assert_eq!(counts(&db).await, expected);
}

#[sqlx::test]
async fn of_two_that_fill_a_large_office_at_once_one_does(db: PgPool) {
    let ours = pool(&db, 1);
    let (first, second) = tokio::join!(
        demo::load_large(&ours, SMALL, |_| ()),
        demo::load_large(&ours, SMALL, |_| ())
    );
    assert_ne!(first.unwrap(), second.unwrap());
    let expected = (SMALL.schedule_seats(), SMALL.reservations(), SMALL.accounts());
    assert_eq!(counts(&db).await, expected);
}

async fn people(db: &PgPool) -> i64 {
    read_one(db, "select count(*) from accounts").await
}

/// The demo log-ins are public, and one of them manages everything.
#[sqlx::test]
async fn demo_data_refuses_an_office_with_anybody_of_its_own(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    office.sign_in("a real person").await;
    let refused = demo::load(&office.app.db).await;
    assert!(matches!(refused, Err(DemoError::NotEmpty)), "{refused:?}");
    let refused = demo::load_large(&office.app.db, SMALL, |_| ()).await;
    assert!(matches!(refused, Err(DemoError::NotEmpty)), "{refused:?}");
    assert_eq!(people(&db).await, 1);
    office.close().await;
}

#[sqlx::test]
async fn demo_data_refuses_an_office_with_anything_of_its_own(db: PgPool) {
    let app = app(&db).await;
    Concert::usual(&db).await;
    assert!(matches!(demo::load(&app.db).await, Err(DemoError::NotEmpty)));
    run_sql(&db, "update programs set slug = 'night-on-the-han'").await;
    run_sql(&db, "update venues set name = '골목극장'").await;
    assert!(demo::load(&app.db).await.is_err(), "a name of ours does not make it ours");
    assert_eq!(people(&db).await, 0);
}

/// As `make run` does at each start, also when the office was used meanwhile.
#[sqlx::test]
async fn over_its_own_data_the_demo_ends_well(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    assert!(demo::load(&office.app.db).await.unwrap());
    assert!(demo::load_large(&office.app.db, SMALL, |_| ()).await.unwrap());
    office.sign_in("somebody who tries it").await;
    Concert::usual(&db).await;
    let before = people(&db).await;
    assert!(!demo::load(&office.app.db).await.unwrap());
    assert!(!demo::load_large(&office.app.db, SMALL, |_| ()).await.unwrap());
    assert_eq!(people(&db).await, before);
    office.close().await;
}
