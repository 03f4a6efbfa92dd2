//! Seats and places: held once, held for a while, held by the first person.

mod alternatives;
mod at_once;
mod batches;
mod best;
mod categories;
mod codes;
mod expiry;
mod house;
mod input;
mod kinds;
mod leased_seats;
mod live;
mod offer_scripts;
mod order_rules;
mod pages;
mod price_types;
mod prices;
mod race;
mod restored;
mod storms;
mod streams;
mod switched_rule;
mod waiting_list;
mod zones;

use serde_json::{Value, json};
use sqlx::PgPool;
use stagedoor::entry_queue::grow_logs;
use uuid::Uuid;

use crate::support::{
    Answer, Concert, Office, Person, count, read_one, read_one_with, storm, until,
};

/// Lets people in as the gate would, without waiting for it.
pub(crate) async fn admit(db: &PgPool, concert: &Concert, people: &[Person]) {
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

/// Admits `people` as [`admit`] does, and returns once the log has their joins: its worker locks
/// tokens of older versions, which these look like, and an order of theirs would be left out of its
/// batch.
pub(crate) async fn admit_logged(office: &Office, concert: &Concert, people: &[Person]) {
    admit(&office.db, concert, people).await;
    until("their joins are in the log", async || {
        grow_logs(&office.app).await.unwrap();
        let n_left = "select count(*) from queue_tokens where commitment is null";
        read_one::<i64>(&office.db, n_left).await == 0
    })
    .await;
}

/// Makes an edit of the concert's performance as its administrators do, of the edition that is there.
pub(crate) async fn edit(office: &Office, concert: &Concert, what: &str, mut form: Value) -> Value {
    let admin = office.employ("admin", "ADMIN").await;
    let path = format!("/admin/schedules/{}", concert.schedule_id);
    form["version"] = admin.get(&path).await.json()["schedule"]["version"].clone();
    let saved = admin.post_json(&format!("{path}/{what}"), &form).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    saved.json()
}

/// Gives a zone another name, as an edit that changes nothing else.
pub(crate) async fn rename_zone(office: &Office, concert: &Concert, zone_id: Uuid, name: &str) {
    let zone =
        "select jsonb_build_object('price', price, 'capacity', capacity) from zones where id = $1";
    let mut form: Value = read_one_with(&office.db, zone, zone_id).await;
    form["name"] = json!(name);
    edit(office, concert, &format!("zones/{zone_id}"), form).await;
}

/// Orders seats under a new request key.
pub(crate) async fn hold(person: &Person, concert: &Concert, seat_ids: &[i64]) -> Answer {
    let order = json!({ "seat_ids": seat_ids, "request_key": Uuid::now_v7() });
    person.post_json(&order_path(concert), &order).await
}

/// Orders places of the zone under a new request key.
pub(crate) async fn hold_places(person: &Person, concert: &Concert, quantity: i64) -> Answer {
    let order = json!({
        "zone_id": concert.zone_id, "quantity": quantity, "request_key": Uuid::now_v7(),
    });
    person.post_json(&order_path(concert), &order).await
}

/// Gives back what an order got, again for as long as others keep it from being decided.
async fn give_up(person: &Person, held: &Answer) {
    const SENT_MAX: usize = 50;
    let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
    let (path, form) = (format!("/reservations/{id}/cancellation"), [("request_key", id)]);
    for _ in 0..SENT_MAX {
        if person.post(&path, &form).await.status == 200 {
            return;
        }
    }
    panic!("{path} is never decided");
}

/// Sends an order again, with its key, for as long as a deadline ended it: what came of it is
/// unknown until then, and on a slow machine that happens.
pub(crate) async fn order_until_known(person: &Person, path: &str, order: &Value) -> Answer {
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

/// Runs a storm of orders, and fails unless a page that asks the database was answered most
/// times while it ran. Where orders keep the connections, none is; a slow machine ends single
/// reads at their deadline.
async fn storm_beside_a_visitor<F>(
    office: &Office,
    orders: impl Iterator<Item = F> + Send + 'static,
) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let visitor = office.sign_in("visitor").await;
    let orders = tokio::spawn(storm(orders.collect::<Vec<_>>()));
    let mut visits = Vec::new();
    while !orders.is_finished() {
        visits.push(visitor.get("/reservations").await);
    }
    let (answered, late) = (count(&visits, 200, ""), count(&visits, 503, "unavailable"));
    assert!(answered > late && answered + late == visits.len(), "{answered} and {late} late");
    orders.await.unwrap()
}

pub(crate) fn order_path(concert: &Concert) -> String {
    format!("/schedules/{}/reservations", concert.schedule_id)
}
