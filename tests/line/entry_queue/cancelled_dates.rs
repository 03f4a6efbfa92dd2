//! Lines of a show whose last performance is cancelled alone: they end as the lines of a cancelled
//! show do.

use sqlx::PgPool;

use super::{crowded, join, queue_path_of};
use crate::support::{
    Concert, ConcertOptions, Office, Person, eventually, read_all, read_one, run_sql_with, until,
};

/// Cancels the performance of `concert`, which was not edited before.
async fn cancel_date(admin: &Person, concert: &Concert) {
    let path = format!("/admin/schedules/{}/cancellation", concert.schedule_id);
    let form = [("version", "0"), ("reason", "the singer is ill")];
    let cancelled = admin.post(&path, &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
}

/// Cancels the program of `concert`.
async fn cancel_program(admin: &Person, concert: &Concert) {
    let path = format!("/admin/programs/{}/cancellation", concert.program_id);
    let form = [("version", "0"), ("reason", "the singer is ill")];
    let cancelled = admin.post(&path, &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
}

/// Waits until no account has a place any more.
async fn until_the_line_is_gone(db: &PgPool) {
    until("the line is gone", async || {
        let live = "select count(*) from queue_tokens where status in ('WAITING', 'ACTIVE')";
        read_one::<i64>(db, live).await == 0
    })
    .await;
}

async fn sale_state(person: &Person, concert: &Concert) -> String {
    let program = person.get(&format!("/programs/{}", concert.slug)).await.json();
    program["sale"]["state"].as_str().unwrap().to_owned()
}

/// What a show looks like to people who were in its line, after `cancel`.
async fn after(db: PgPool, cancel: impl AsyncFn(&Person, &Concert)) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (ada, bea, dan) =
        (office.sign_in("ada").await, office.sign_in("bea").await, office.sign_in("dan").await);
    for person in [&ada, &bea] {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    until("the first is inside", async || {
        ada.get(&queue_path_of(&concert)).await.json()["status"] == "ACTIVE"
    })
    .await;

    cancel(&admin, &concert).await;
    until_the_line_is_gone(&db).await;
    for person in [&ada, &bea] {
        let state = person.get(&queue_path_of(&concert)).await.json();
        assert_eq!(state["status"], "CANCELLED", "{state}");
        // An instance may remember the show for a moment.
        let page = eventually("the cancellation on the page", async || {
            let page = person.visit(&queue_path_of(&concert)).await;
            if page.body.contains("This show was cancelled") { Ok(page) } else { Err(page.body) }
        })
        .await;
        assert!(page.has(&format!("main a[href='/programs/{}']", concert.slug)), "{}", page.body);
        assert!(!page.body.contains("Seats left"), "{}", page.body);
    }
    let mut told: Vec<String> =
        read_all(&db, "select recipient from outbox where kind = 'queue-cancelled'").await;
    told.sort();
    let mut expected = Vec::new();
    for person in [&ada, &bea] {
        expected.push(crate::support::email_of(&db, person.account_id).await);
    }
    expected.sort();
    assert_eq!(told, expected, "each is told once");
    let mail = "select id::text from outbox where kind = 'queue-cancelled' limit 1";
    let mail = admin.visit(&format!("/admin/mails/{}", read_one::<String>(&db, mail).await)).await;
    assert!(mail.body.contains("A concert was cancelled"), "{}", mail.body);

    until("the show is cancelled", async || sale_state(&dan, &concert).await == "cancelled").await;
    let late = join(&dan, &concert).await;
    assert_eq!((late.status, late.code().as_str()), (410, "sale-closed"));
    office.close().await;
}

#[sqlx::test]
async fn the_line_ends_with_the_last_performance(db: PgPool) {
    after(db, cancel_date).await;
}

#[sqlx::test]
async fn the_line_ends_with_the_show(db: PgPool) {
    after(db, cancel_program).await;
}

#[sqlx::test]
async fn a_show_without_dates_is_not_on_sale_and_a_new_date_opens_it_again(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let admin = office.employ("admin", "ADMIN").await;
    let ada = office.sign_in("ada").await;
    assert_eq!(join(&ada, &concert).await.status, 201);
    cancel_date(&admin, &concert).await;
    until_the_line_is_gone(&db).await;
    let overview = admin.visit("/admin").await;
    assert!(overview.body.contains("No dates left"), "{}", overview.body);
    assert!(!overview.body.contains(">On sale<"), "{}", overview.body);

    concert.another_date(&db, 1).await;
    until("the sale goes on", async || sale_state(&ada, &concert).await == "on-sale").await;
    let again = join(&ada, &concert).await;
    assert_eq!(again.status, 201, "{}", again.body);
    office.close().await;
}

#[sqlx::test]
async fn a_sale_ends_when_the_other_dates_are_over(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let played = concert.another_date(&db, 1).await;
    let admin = office.employ("admin", "ADMIN").await;
    let (ada, bea) = (office.sign_in("ada").await, office.sign_in("bea").await);
    for person in [&ada, &bea] {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    cancel_date(&admin, &concert).await;
    assert_eq!(sale_state(&ada, &concert).await, "on-sale", "another date is to come");
    let begin = "update schedules set starts_at = now() - interval '1 minute' where id = $1";
    run_sql_with(&db, begin, played.schedule_id).await;
    until("the sale is over", async || sale_state(&ada, &concert).await == "closed").await;
    until("nobody waits", async || {
        bea.get(&queue_path_of(&concert)).await.json()["status"] == "CANCELLED"
    })
    .await;
    let told = "select count(*) from outbox where kind = 'queue-cancelled'";
    assert_eq!(read_one::<i64>(&db, told).await, 0, "nothing was called off");
    office.close().await;
}

#[sqlx::test]
async fn nobody_is_said_to_be_ahead_of_the_first_in_line(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, ConcertOptions { seats: 1, ..crowded() }).await;
    let (ada, bea, dan) =
        (office.sign_in("ada").await, office.sign_in("bea").await, office.sign_in("dan").await);
    for person in [&ada, &bea, &dan] {
        assert_eq!(join(person, &concert).await.status, 201);
    }
    let sold = "update schedule_seats set status = 'BLOCKED' where schedule_id = $1";
    run_sql_with(&db, sold, concert.schedule_id).await;
    let hidden = "update zones set hidden_at = now() where schedule_id = $1";
    run_sql_with(&db, hidden, concert.schedule_id).await;
    let scarce = "[data-when='scarce']";
    eventually("nothing is left", async || {
        let page = dan.visit(&queue_path_of(&concert)).await;
        if page.has(&format!("{scarce}:not([hidden])")) { Ok(()) } else { Err(page.body) }
    })
    .await;
    let first = bea.visit(&queue_path_of(&concert)).await;
    assert!(first.has(&format!("{scarce}[hidden]")), "{}", first.body);
    office.close().await;
}
