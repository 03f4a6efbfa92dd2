//! A section is hidden and shown again while people hold its seats.

use super::{
    super::give_up,
    hidden::{redeem, with_hidden},
    *,
};
use crate::support::{
    admit_projected, count, read_all, storm, until, until_it_waits, until_locks_wait,
};

/// Times that the section is shown and hidden again.
const TURNS: usize = 8;
const SEATS: usize = 10;

/// Statuses that seats had before they were held, as the database sees each write.
const SEEN: [&str; 3] = [
    "create table seats_held (was text not null)",
    "create function see_held() returns trigger language plpgsql as $$
     begin insert into seats_held values (old.status); return null; end $$",
    "create trigger schedule_seats_seen after update on schedule_seats for each row
     when (new.status = 'HELD' and old.status <> 'HELD') execute function see_held()",
];

/// Holds a seat and gives it back, again and again until the last turn is over, and returns the last
/// answer.
async fn hold_while_shown(person: Person, concert: Concert, seat_id: i64) -> Answer {
    loop {
        let held = order(&person, &concert, json!({ "seat_ids": [seat_id] })).await;
        let may_change = matches!(held.code().as_str(), "contended" | "waiting" | "unavailable");
        if !may_change && is_over(&person, &concert).await {
            return held;
        }
        if held.status == 201 {
            give_up(&person, &held).await;
        }
    }
}

/// Shows or hides the section, and returns the status: on a busy machine it may have to be done again.
async fn act(admin: &Person, concert: &Concert, name: &str) -> u16 {
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    let version = admin.get(&path).await.json()["schedule"]["version"].clone();
    let form = json!({ "section": "VIP", "act": name, "version": version });
    admin.post_json(&format!("{path}/hidden-sections"), &form).await.status
}

/// Whether the last turn is over: the program has another title then.
async fn is_over(person: &Person, concert: &Concert) -> bool {
    let program = person.get(&format!("/programs/{}", concert.slug)).await.json();
    program["title"] == "Over"
}

/// Two strangers try each seat of a hidden section while it is shown and hidden in turns: each time that
/// one has it, it was shown.
#[sqlx::test]
async fn beside_a_section_that_is_hidden_and_shown_nobody_holds_what_is_hidden(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let strangers = office.crowd(2 * SEATS, "Stranger").await;
    admit(&db, &concert, &strangers).await;
    for sql in SEEN {
        run_sql(&db, sql).await;
    }
    let vip = concert.seat_ids[SEATS..].to_vec();
    let answers =
        storm(strangers.iter().enumerate().map(|(nth, stranger)| {
            hold_while_shown(stranger.clone(), concert.clone(), vip[nth / 2])
        }));
    let admin = office.employ("admin", "ADMIN").await;
    let n_seen = async || read_one::<i64>(&db, "select count(*) from seats_held").await;
    let turns = async {
        for _ in 0..TURNS {
            until("it is shown", async || act(&admin, &concert, "show").await == 200).await;
            // However slow the machine is, some of the strangers meet the hiding.
            let n_before = n_seen().await;
            until("two hold a seat", async || n_seen().await >= n_before + 2).await;
            until("it is hidden", async || act(&admin, &concert, "hide").await == 200).await;
        }
        run_sql(&db, "update programs set title = 'Over'").await;
    };
    let (answers, ()) = tokio::join!(answers, turns);
    let seen: Vec<String> = read_all(&db, "select was from seats_held").await;
    assert!(seen.len() > SEATS && seen.iter().all(|was| was == "AVAILABLE"), "{seen:?}");
    run_sql(&db, "drop function see_held cascade").await;
    run_sql(&db, "drop table seats_held").await;
    let n_held = count(&answers, 201, "");
    let n_refused = count(&answers, 422, "invalid") + count(&answers, 409, "seat-unavailable");
    assert_eq!(n_held + n_refused, 2 * SEATS, "{answers:?}");
    let statuses = "select status from schedule_seats where id = any($1)";
    let statuses: Vec<String> =
        sqlx::query_scalar(statuses).bind(&vip).fetch_all(&db).await.unwrap();
    let n_of = |status: &str| statuses.iter().filter(|each| *each == status).count();
    assert_eq!((n_of("HELD"), n_of("HIDDEN")), (n_held, SEATS - n_held), "{statuses:?}");
    office.verify_database().await;

    // What is given back is hidden, and the invited alone have it.
    let ids: Vec<Uuid> = read_all(&db, "select id from reservations where status = 'HELD'").await;
    for id in ids {
        let owner: Uuid =
            read_one_with(&db, "select account_id from reservations where id = $1", id).await;
        let owner = strangers.iter().find(|stranger| stranger.account_id == owner).unwrap();
        let path = format!("/reservations/{id}/cancellation");
        assert_eq!(owner.post(&path, &()).await.status, 200);
    }
    let hidden = "select count(*) from schedule_seats where status = 'HIDDEN'";
    assert_eq!(usize::try_from(read_one::<i64>(&db, hidden).await), Ok(SEATS));
    // A stranger who was refused while the section was shown may have a lease of a seat for some seconds.
    office.app.redis.forget_keys("lease:").await.unwrap();
    let invited = office.sign_in("invited").await;
    admit_projected(&office, &concert, std::slice::from_ref(&invited)).await;
    assert_eq!(redeem(&invited, &concert, "INVITED").await.status, 201);
    assert_eq!(order(&invited, &concert, json!({ "seat_ids": [vip[0]] })).await.status, 201);
    refused(&order(&strangers[0], &concert, json!({ "seat_ids": [vip[1]] })).await, 422, "invalid");
    office.close().await;
}

/// The order has found the section shown, and waits for its seat behind the act that hides it. On a busy
/// machine one of the two may give up, and both are tried once more.
#[sqlx::test]
async fn an_order_that_waited_while_its_section_was_hidden_holds_nothing(db: PgPool) {
    const TRIES_MAX: usize = 5;
    let (office, concert, _) = with_hidden(&db).await;
    let strangers = office.crowd(TRIES_MAX, "Stranger").await;
    admit(&db, &concert, &strangers).await;
    let admin = office.employ("admin", "ADMIN").await;
    let seat = concert.seat_ids[SEATS];
    let mut watch = db.acquire().await.unwrap();
    let mut n_judged = 0;
    for stranger in strangers {
        act(&admin, &concert, "show").await;
        let status = "select status from schedule_seats where id = $1";
        assert_eq!(read_one_with::<String>(&db, status, seat).await, "AVAILABLE");
        let mut held = db.begin().await.unwrap();
        run_sql(&mut *held, "select from schedule_seats for update").await;
        let rest = async {
            until_locks_wait(&mut watch, 1).await;
            let concert = concert.clone();
            let ordering = tokio::spawn(async move {
                order(&stranger, &concert, json!({ "seat_ids": [seat] })).await
            });
            until_it_waits(&mut watch, 2, &ordering).await;
            held.commit().await.unwrap();
            ordering.await.unwrap()
        };
        let (hidden, answer) = tokio::join!(act(&admin, &concert, "hide"), rest);
        if hidden == 200 && answer.status != 503 {
            refused(&answer, 422, "invalid");
            n_judged = 1;
            break;
        }
    }
    assert_eq!(n_judged, 1, "no order waited");
    drop(watch);
    office.verify_database().await;
    office.close_as_it_is().await;
}
