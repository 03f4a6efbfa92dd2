//! Admissions without a wait, and orders of seats and places.

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{grow_logs, project},
};
use uuid::Uuid;

use super::{Answer, Concert, Office, Person, read_one, until};

/// Lets people in as the gate would, without waiting for it.
pub async fn admit(db: &PgPool, concert: &Concert, people: &[Person]) {
    let ids: Vec<Uuid> = people.iter().map(|person| person.account_id).collect();
    sqlx::query(
        "with numbered as (
             update queue_numbers set next_number = next_number + cardinality($2::uuid[])
             where program_id = $1
             returning next_number - cardinality($2::uuid[]) as first
         )
         insert into queue_tokens (id, program_id, account_id, queue_number, status, admitted_at,
             stay_ends_at, expires_at)
         select gen_random_uuid(), $1, id, first + nth - 1, 'ACTIVE', now(),
             now() + interval '10 minutes', now() + interval '10 minutes'
         from numbered, unnest($2::uuid[]) with ordinality as t (id, nth)",
    )
    .bind(concert.program_id)
    .bind(&ids)
    .execute(db)
    .await
    .unwrap();
}

/// Admits `people` as [`admit`] does, and has Redis know of them as the gate would: where others were let in before, its
/// queue is complete without them until the next comparison, and `verify` reports that.
pub async fn admit_projected(office: &Office, concert: &Concert, people: &[Person]) {
    admit(&office.db, concert, people).await;
    let accounts: Vec<AccountId> =
        people.iter().map(|person| AccountId(person.account_id)).collect();
    project(&office.app, ProgramId(concert.program_id), &accounts).await;
}

/// Admits `people` as [`admit`] does, and returns once the log has their joins: its worker locks
/// tokens of older versions, which these look like, and an order of theirs would be left out of its
/// batch.
pub async fn admit_logged(office: &Office, concert: &Concert, people: &[Person]) {
    admit(&office.db, concert, people).await;
    until("their joins are in the log", async || {
        grow_logs(&office.app).await.unwrap();
        let n_left = "select count(*) from queue_tokens where commitment is null";
        read_one::<i64>(&office.db, n_left).await == 0
    })
    .await;
}

/// Orders seats under a new request key.
pub async fn hold(person: &Person, concert: &Concert, seat_ids: &[i64]) -> Answer {
    let order = json!({ "seat_ids": seat_ids, "request_key": Uuid::now_v7() });
    person.post_json(&order_path(concert), &order).await
}

/// Orders places of the zone under a new request key.
pub async fn hold_places(person: &Person, concert: &Concert, quantity: i64) -> Answer {
    let order = json!({
        "zone_id": concert.zone_id, "quantity": quantity, "request_key": Uuid::now_v7(),
    });
    person.post_json(&order_path(concert), &order).await
}

/// Sends an order again, with its key, for as long as a deadline ended it: what came of it is
/// unknown until then, and on a slow machine that happens.
pub async fn order_until_known(person: &Person, path: &str, order: &Value) -> Answer {
    const SENT_MAX: usize = 50;
    let mut answer = person.post_json(path, order).await;
    for _ in 1..SENT_MAX {
        if answer.code() != "unavailable" {
            break;
        }
        answer = person.post_json(path, order).await;
    }
    answer
}

/// Returns the path to which orders of a concert are sent.
pub fn order_path(concert: &Concert) -> String {
    format!("/schedules/{}/reservations", concert.schedule_id)
}
