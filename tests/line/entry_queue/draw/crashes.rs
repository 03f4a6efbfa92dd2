//! Crashes between the steps of a draw: the next instance goes on with what is written.

use super::*;

/// Runs a draw in which the database refuses the steps one after the other, and says what is left at each.
#[sqlx::test]
async fn a_draw_that_dies_at_any_step_goes_on_from_there(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(6, "Early").await;
    assert_eq!(count(&join_at_once(&people, &concert).await, 201, ""), 6);
    let steps = [
        ("new.closed_at is not null and old.closed_at is null", "OPEN", 1),
        ("new.revealed_at is not null and old.revealed_at is null", "CLOSED", 7),
        ("new.numbered > old.numbered", "REVEALED", 7),
    ];
    let next_of = "select next_number from queue_numbers where program_id = $1";
    let given_of = "select count(*) from queue_tokens where program_id = $1";
    for (nth, (refused, step, next)) in steps.into_iter().enumerate() {
        refuse_when(&db, refused).await;
        if nth == 0 {
            open_now(&db, &concert).await;
        }
        draw_at(&office, &concert, step).await;
        until_it_dies(&db).await;
        assert_eq!(draw_at(&office, &concert, step).await["numbered"], 0);
        assert_eq!(read_one_with::<i64>(&db, next_of, concert.program_id).await, next, "{step}");
        assert_eq!(read_one_with::<i64>(&db, given_of, concert.program_id).await, 0, "{step}");
        office.verify().await;
        let_live(&db).await;
    }
    draw_at(&office, &concert, "DRAWN").await;
    for person in &people {
        number_of(person, &concert).await;
    }
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(6));
    office.close().await;
}

/// Waits until the step was tried and refused twice more.
async fn until_it_dies(db: &PgPool) {
    run_sql(db, "create sequence deaths").await;
    run_sql(
        db,
        "create or replace function die() returns trigger language plpgsql as $$
         begin perform nextval('deaths'); raise exception 'died before the commit'; end $$",
    )
    .await;
    eventually("two deaths", async || {
        let deaths = "select last_value from deaths where is_called and $1 is not null";
        let deaths: Option<i64> =
            sqlx::query_scalar(deaths).bind("").fetch_optional(db).await.unwrap();
        deaths.filter(|n| *n >= 2).ok_or(deaths)
    })
    .await;
    run_sql(
        db,
        "create or replace function die() returns trigger language plpgsql as $$
         begin raise exception 'died before the commit'; end $$",
    )
    .await;
    run_sql(db, "drop sequence deaths").await;
}

/// Chunks hold 5,000 numbers.
#[sqlx::test]
async fn many_numbers_are_given_in_parts_and_each_once_whoever_gives_them(db: PgPool) {
    let office = Office::open_with(db.clone(), 3, &[]).await;
    let concert = announced(&office, coming()).await;
    for statement in [
        "insert into accounts (id, email, name, password_hash)
         select gen_random_uuid(), 'many-' || i || '@example.com', 'Many', 'none'
         from generate_series(1, 12000) i where $1 is not null",
        "insert into queue_draw_entries (id, program_id, account_id, commitment)
         select gen_random_uuid(), $1, id, sha256(id::text::bytea) from accounts where name = 'Many'",
    ] {
        run_sql_with(&db, statement, concert.program_id).await;
    }
    refuse_when(&db, "new.numbered > 5000").await;
    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "REVEALED").await;
    assert_eq!(draw["entry_pages"], 3);
    eventually("the first part", async || {
        let draw = draw_at(&office, &concert, "REVEALED").await;
        if draw["numbered"] == 5_000 { Ok(()) } else { Err(draw) }
    })
    .await;
    let late = office.sign_in("late").await;
    assert_eq!(join(&late, &concert).await.json()["queue_number"], 12_001);
    office.verify().await;
    let_live(&db).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    assert_eq!(numbering_is_whole(&db, concert.program_id).await, Ok(12_001));
    let list = list_of(&office, &concert, &draw).await;
    let checked = stagedoor::entry_queue::check_draw(&draw.to_string(), &list, None).unwrap();
    assert_eq!(checked.entries, 12_000);
    office.close().await;
}
