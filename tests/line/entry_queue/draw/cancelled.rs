//! Shows that are cancelled before their draw has given numbers.

use sqlx::PgPool;

use super::{announced, coming, draw_at, join_at_once, list_of, open_now};
use crate::{
    entry_queue::{join, queue_path_of},
    support::{Concert, Office, Person, email_of, read_all, read_one, until},
};

const TOLD: &str = "select recipient from outbox where kind = 'queue-cancelled' order by recipient";

async fn cancel(admin: &Person, concert: &Concert, what: &str) {
    let path = match what {
        "performance" => format!("/admin/schedules/{}/cancellation", concert.schedule_id),
        _ => format!("/admin/programs/{}/cancellation", concert.program_id),
    };
    let page = admin.visit(&path).await;
    let version = page.attribute("[name='version']", "value");
    let form = [("version", version.as_str()), ("reason", "the singer is ill")];
    let cancelled = admin.post(&path, &form).await;
    assert_eq!(cancelled.status, 200, "{}", cancelled.body);
}

async fn addresses(db: &PgPool, people: &[Person]) -> Vec<String> {
    let mut expected = Vec::new();
    for person in people {
        expected.push(email_of(db, person.account_id).await);
    }
    expected.sort();
    expected
}

/// Each account with an entry gets one mail, and its page says the same.
async fn everybody_is_told(db: PgPool, what: &str) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(3, "Comer").await;
    for answer in join_at_once(&people, &concert).await {
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    let admin = office.employ("boss", "ADMIN").await;
    cancel(&admin, &concert, what).await;
    let expected = addresses(&db, &people).await;
    until("all are told", async || read_all::<String>(&db, TOLD).await == expected).await;
    // An instance may know the show as it was for a second.
    until("its page says so", async || {
        let page = people[0].visit(&queue_path_of(&concert)).await;
        page.body.contains("This show was cancelled")
    })
    .await;
    let mail = "select id::text from outbox where kind = 'queue-cancelled' limit 1";
    let mail = admin.visit(&format!("/admin/mails/{}", read_one::<String>(&db, mail).await)).await;
    assert!(mail.body.contains("your entry in the draw has ended"), "{}", mail.body);
    // No mail is written again, and no entry is made.
    let late = join(&office.sign_in("late").await, &concert).await;
    assert_eq!((late.status, late.code().as_str()), (410, "sale-closed"), "{}", late.body);
    let ended = "delete from outbox where kind = 'queue-cancelled'";
    sqlx::query(ended).execute(&db).await.unwrap();
    stagedoor::entry_queue::tell_entries(&office.app).await.unwrap();
    assert_eq!(read_all::<String>(&db, TOLD).await, [""; 0]);
    office.close().await;
}

#[sqlx::test]
async fn whoever_has_an_entry_is_told_of_the_cancelled_show(db: PgPool) {
    everybody_is_told(db, "program").await;
}

#[sqlx::test]
async fn whoever_has_an_entry_is_told_of_the_last_performance(db: PgPool) {
    everybody_is_told(db, "performance").await;
}

/// A date that is added puts the show on sale again; its draw goes on with all entries, and another
/// cancellation is mailed to the accounts that entered since.
#[sqlx::test]
async fn a_show_that_is_on_sale_again_draws_and_tells_whoever_came_since(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = announced(&office, coming()).await;
    let people = office.crowd(4, "Comer").await;
    join_at_once(&people[..2], &concert).await;
    let admin = office.employ("boss", "ADMIN").await;
    cancel(&admin, &concert, "performance").await;
    let first = addresses(&db, &people[..2]).await;
    until("the first are told", async || read_all::<String>(&db, TOLD).await == first).await;
    let again = concert.another_date(&db, 1).await;
    until("somebody may enter", async || join(&people[2], &concert).await.status == 201).await;
    assert_eq!(join(&people[3], &concert).await.status, 201);
    until("it is forgotten", async || {
        read_one(&db, "select told_after is null from queue_draws").await
    })
    .await;
    cancel(&admin, &again, "performance").await;
    let all = addresses(&db, &people).await;
    until("the others are told", async || read_all::<String>(&db, TOLD).await == all).await;
    concert.another_date(&db, 2).await;
    open_now(&db, &concert).await;
    let draw = draw_at(&office, &concert, "DRAWN").await;
    assert_eq!(list_of(&office, &concert, &draw).await.lines().count(), 4);
    office.close().await;
}
