//! Performances that staff give another venue.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::told_moves::{Show, cancel, moment, now};
use crate::support::{Answer, Concert, Hold, Person, Purchase, read_all, read_one_with};

impl Show {
    /// Makes a venue in the time zone, and returns its id.
    async fn another_venue(&self, name: &str, zone: &str) -> String {
        let form = [("name", name), ("address", "Dockside 1"), ("time_zone", zone)];
        let made = self.admin.post("/admin/venues", &form).await;
        assert_eq!(made.status, 201, "{}", made.body);
        made.json()["id"].as_str().unwrap().to_owned()
    }

    async fn change_venue(&self, date: &Concert, venue: &str, words: &str) -> Answer {
        let path = format!("/admin/schedules/{}", date.schedule_id);
        let version = self.admin.get(&path).await.json()["schedule"]["version"].to_string();
        let form = [("version", version.as_str()), ("venue_id", venue), ("words", words)];
        self.admin.post(&format!("{path}/venue"), &form).await
    }

    /// Buys a place of the date on terms that give nothing back.
    async fn buy_place(&self, person: &Person, date: &Concert) -> Purchase {
        let hold = Hold { places: 1, refund_percent: 0, ..Hold::default() };
        Purchase::make(&self.office.db, date, person, hold).await
    }

    async fn told_of(&self, kind: &str) -> Vec<String> {
        let sql = format!(
            "select split_part(recipient, '-', 1) from outbox where kind = '{kind}' order by position"
        );
        read_all(&self.office.db, sqlx::AssertSqlSafe(sql)).await
    }
}

#[sqlx::test]
async fn who_has_a_place_is_told_of_another_venue_and_may_give_everything_back(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let date = show.concert.another_date(&db, 3).await;
    let [ada, bob] = [show.office.sign_in("ada").await, show.office.sign_in("bob").await];
    let bought = show.buy_place(&ada, &date).await;
    let of_ada = bought.reservation_id;
    let of_bob = show.buy(&bob, 0).await.reservation_id;
    let quay = show.another_venue("The Quay", "Asia/Seoul").await;
    let page = show.admin.visit(&format!("/admin/schedules/{}", date.schedule_id)).await;
    assert!(page.has(&format!("form[action$='/venue'] option[value='{quay}']")), "{}", page.body);
    let before = ada.get(&format!("/reservations/{of_ada}")).await.json();
    let moved = show.change_venue(&date, &quay, "The hall is closed.").await;
    assert_eq!((moved.status, &moved.json()["venue_name"]), (200, &json!("The Quay")));

    assert_eq!(show.told_of("performance-changed").await, ["ada"]);
    let mail: Uuid =
        read_one_with(&db, "select id from outbox where kind = $1", "performance-changed").await;
    let letter = show.admin.visit(&format!("/admin/mails/{mail}")).await.body;
    for words in ["The Quay", "Dockside 1", "The hall is closed.", "full refund until"] {
        assert!(letter.contains(words), "{words}: {letter}");
    }
    let told = ada.get(&format!("/reservations/{of_ada}")).await.json();
    let parts: Vec<&str> =
        told["changes"].as_array().unwrap().iter().map(|c| c["part"].as_str().unwrap()).collect();
    assert!(parts.contains(&"VENUE") && parts.contains(&"ADDRESS"), "{told}");
    assert!(moment(&told["full_refund_until"]) > now(&db).await, "{told}");
    assert_eq!(told["starts_at"], before["starts_at"]);
    let ticket = ada.visit(&format!("/tickets/{}", bought.codes[0])).await;
    assert!(ticket.body.contains("The Quay"), "{}", ticket.body);
    let all = cancel(&ada, of_ada).await;
    assert_eq!((all.status, &all.json()["refunded"]), (200, &json!(30_000)), "{}", all.body);

    // The other date stays where its seats are.
    let seats = show.change_venue(&show.concert, &quay, "").await;
    assert_eq!((seats.status, seats.code().as_str()), (409, "seats-of-venue"), "{}", seats.body);
    let page = show.admin.visit(&format!("/admin/schedules/{}", show.concert.schedule_id)).await;
    assert!(!page.has("form[action$='/venue']"), "{}", page.body);
    let none = bob.get(&format!("/reservations/{of_bob}")).await.json();
    assert!(none.get("changes").is_none(), "{none}");
    let nowhere = show.change_venue(&date, &Uuid::nil().to_string(), "").await;
    assert_eq!(nowhere.status, 404, "{}", nowhere.body);
    show.office.close().await;
}

/// At a venue with another clock the hour stays, so the performance moves.
#[sqlx::test]
async fn at_a_venue_with_another_clock_the_hour_stays(db: PgPool) {
    let show = Show::open(&db, &[]).await;
    let date = show.concert.another_date(&db, 3).await;
    let ada = show.office.sign_in("ada").await;
    let id = show.buy_place(&ada, &date).await.reservation_id;
    let abroad = show.another_venue("Theater am Fluss", "Europe/Berlin").await;
    let moved = show.change_venue(&date, &abroad, "").await;
    assert_eq!(moved.json()["starts_at"], "2031-05-05T17:30:00Z", "{}", moved.body);
    assert_eq!(show.told_of("performance-moved").await, ["ada"]);
    assert_eq!(show.told_of("performance-changed").await, Vec::<String>::new(), "once");
    let told = ada.get(&format!("/reservations/{id}")).await.json();
    assert_eq!(told["previous_starts_at"], "2031-05-05T10:30:00Z", "{told}");
    assert!(moment(&told["full_refund_until"]) > now(&db).await, "{told}");
    // Back again is told too.
    let venue: Uuid =
        read_one_with(&db, "select id from venues where time_zone = $1", "Asia/Seoul").await;
    assert_eq!(show.change_venue(&date, &venue.to_string(), "").await.status, 200);
    assert_eq!(show.told_of("performance-moved").await, ["ada", "ada"]);
    show.office.close().await;
}
