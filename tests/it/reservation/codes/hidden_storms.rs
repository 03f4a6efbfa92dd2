//! A section is hidden and shown again while people hold its seats.

use super::{
    super::edit,
    hidden::{redeem, with_hidden},
    *,
};
use crate::support::{count, read_all, storm};

/// Times that the section is shown and hidden again.
const TURNS: usize = 8;
const SEATS: usize = 10;

/// Tries to hold a seat until one of the rivals has it, and returns the last answer.
async fn hold_once_shown(person: Person, concert: Concert, seat_id: i64) -> Answer {
    loop {
        let held = order(&person, &concert, json!({ "seat_ids": [seat_id] })).await;
        let may_change = matches!(held.code().as_str(), "invalid" | "contended" | "waiting");
        if !may_change || is_over(&person, &concert).await {
            return held;
        }
    }
}

/// Whether the last turn is over: the program has another title then.
async fn is_over(person: &Person, concert: &Concert) -> bool {
    let program = person.get(&format!("/programs/{}", concert.slug)).await.json();
    program["title"] == "Over"
}

/// Two strangers try each seat of a hidden section while it is shown and hidden in turns: a
/// stranger who has one held it while it was shown, and none holds one afterwards.
#[sqlx::test]
async fn beside_a_section_that_is_hidden_and_shown_nobody_holds_what_is_hidden(db: PgPool) {
    let (office, concert, _) = with_hidden(&db).await;
    let strangers = office.crowd(2 * SEATS, "Stranger").await;
    admit(&db, &concert, &strangers).await;
    let vip = concert.seat_ids[SEATS..].to_vec();
    let answers =
        storm(strangers.iter().enumerate().map(|(nth, stranger)| {
            hold_once_shown(stranger.clone(), concert.clone(), vip[nth / 2])
        }));
    let turns = async {
        for _ in 0..TURNS {
            for act in ["show", "hide"] {
                let form = json!({ "section": "VIP", "act": act });
                edit(&office, &concert, "hidden-sections", form).await;
            }
        }
        run_sql(&db, "update programs set title = 'Over'").await;
    };
    let (answers, ()) = tokio::join!(answers, turns);
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
    admit(&db, &concert, std::slice::from_ref(&invited)).await;
    assert_eq!(redeem(&invited, &concert, "INVITED").await.status, 201);
    assert_eq!(order(&invited, &concert, json!({ "seat_ids": [vip[0]] })).await.status, 201);
    refused(&order(&strangers[0], &concert, json!({ "seat_ids": [vip[1]] })).await, 422, "invalid");
    // An account that was let in by a statement of the test is in no line in Redis.
    office.verify_database().await;
    office.close_as_it_is().await;
}
