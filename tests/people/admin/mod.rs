//! Admin pages over HTTP.

mod api_keys;
mod attendees;
mod audit;
mod cancellation;
mod catalog;
mod categories;
mod category_prices;
mod charts;
mod codes;
mod crashes;
mod drafts;
mod ended_keys;
mod kinds;
mod large_plans;
mod let_in;
mod letters;
mod live;
mod moved;
mod moved_in_a_sale;
mod moved_seats;
mod moves_of_orders;
mod office;
mod other_venue;
mod people;
mod plans;
mod posters;
mod price_types;
mod prices;
mod queue;
mod refund_terms;
mod reminders;
mod sales;
mod schedule_cancellation;
mod schedule_races;
mod seats;
mod sentences;
mod times;
mod told_changes;
mod told_moves;
mod told_rights;
mod told_waits;
mod typed;
mod words_of_changes;
mod zones;

use serde_json::Value;

use crate::support::{Answer, Person};

/// A program as an administrator types it.
fn program(title: &str, slug: &str) -> Vec<(&'static str, String)> {
    [
        ("title", title),
        ("slug", slug),
        ("description", "Two hours, one interval."),
        ("on_sale_at", "2030-01-02T19:00"),
        ("off_sale_at", "2030-02-02T19:00"),
        ("queue_capacity", "100"),
        ("queue_rate_per_second", ""),
        ("stay_minutes", "10"),
        ("hold_minutes", "5"),
        ("places_per_account_max", "4"),
        ("refund_until_hours", "24"),
        ("refund_percent", "90"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

/// The same form with other values.
fn with(
    form: &[(&'static str, String)],
    other: &[(&'static str, &str)],
) -> Vec<(&'static str, String)> {
    let mut form: Vec<_> =
        form.iter().filter(|(name, _)| !other.iter().any(|(n, _)| n == name)).cloned().collect();
    form.extend(other.iter().map(|(name, value)| (*name, (*value).to_owned())));
    form
}

async fn make_venue(admin: &Person, grid: &str) -> String {
    let form = [("name", "A hall"), ("address", "Seoul"), ("time_zone", "Asia/Seoul")];
    let venue = admin.post("/admin/venues", &form).await;
    assert_eq!(venue.status, 201, "{}", venue.body);
    let id = venue.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/admin/venues/{id}/seats");
    let seats = admin.post(&path, &[("version", "0"), ("grid", grid)]).await;
    assert_eq!(seats.status, 200, "{}", seats.body);
    id
}

fn field(answer: &Answer, name: &str) -> Value {
    answer.json()[name].clone()
}
