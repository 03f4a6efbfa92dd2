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
use uuid::Uuid;

use crate::support::{
    Answer, Concert, Office, Person, admit, admit_logged, count, hold, hold_places, order_path,
    order_until_known, read_one_with, storm,
};

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
