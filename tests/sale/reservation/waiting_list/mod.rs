//! Waiting lists: what becomes free is offered to the first wish that it fits.

mod races;
mod renamed;
mod rules;

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{admit, hold, hold_places};
use crate::support::{
    Answer, Concert, ConcertOptions, MailServer, Office, Person, email_of, read_one, run_sql, until,
};

/// An office whose concert has sold every seat and place to `holders`, eight seats each, in the order of
/// `concert.seat_ids`; the zone's one place is a ninth person's. Returns their reservations.
pub(super) struct SoldOut {
    pub(super) office: Office,
    pub(super) concert: Concert,
    pub(super) holders: Vec<Person>,
    pub(super) reservations: Vec<Uuid>,
}

impl SoldOut {
    /// Sells `n` seats, one to each person.
    pub(super) async fn with(db: PgPool, n: usize, settings: &[(&str, &str)]) -> Self {
        let office = Office::open_with(db.clone(), 2, settings).await;
        let options = ConcertOptions {
            seats: i32::try_from(n).unwrap(),
            zone_capacity: 1,
            ..ConcertOptions::default()
        };
        let concert = Concert::with(&db, options).await;
        let holders = office.crowd(n + 1, "Holder").await;
        admit(&db, &concert, &holders).await;
        let mut reservations = Vec::new();
        for (nth, person) in holders.iter().enumerate() {
            let held = match concert.seat_ids.get(nth) {
                Some(id) => hold(person, &concert, &[*id]).await,
                None => hold_places(person, &concert, 1).await,
            };
            assert_eq!(held.status, 201, "{}", held.body);
            reservations.push(reservation_of(&held.json()));
        }
        Self { office, concert, holders, reservations }
    }

    /// Lets people in through the queue.
    pub(super) async fn let_in(&self, people: &[Person]) {
        let path = format!("/programs/{}/queue", self.concert.slug);
        for person in people {
            let joined = person.post(&path, &()).await;
            assert!(matches!(joined.status, 200..=202), "{}", joined.body);
            until("they are inside", async || person.get(&path).await.json()["status"] == "ACTIVE")
                .await;
        }
    }

    /// Releases the hold of the `nth` holder.
    pub(super) async fn release(&self, nth: usize) -> Answer {
        give_back(&self.holders[nth], self.reservations[nth]).await
    }

    pub(super) fn path(&self) -> String {
        format!("/schedules/{}/waiting-list", self.concert.schedule_id)
    }

    pub(super) async fn wish(&self, person: &Person, order: Value) -> Answer {
        person.post_json(&self.path(), &order).await
    }

    /// Returns the newest wish of a person.
    pub(super) async fn wish_of(&self, person: &Person) -> Value {
        person.get(&self.path()).await.json()["wish"].clone()
    }

    /// Returns the reservation that a person's newest wish was offered.
    pub(super) async fn offer_of(&self, person: &Person) -> Uuid {
        let wish = self.wish_of(person).await;
        assert_eq!(wish["status"], "OFFERED", "{wish}");
        reservation_of(&wish)
    }
}

pub(super) fn reservation_of(document: &Value) -> Uuid {
    document["reservation_id"].as_str().unwrap().parse().unwrap()
}

pub(super) async fn give_back(person: &Person, reservation_id: Uuid) -> Answer {
    // The key lets a change be sent again whose answer was lost.
    let form = [("request_key", reservation_id)];
    person.post(&format!("/reservations/{reservation_id}/cancellation"), &form).await
}

pub(super) async fn pay(person: &Person, reservation_id: Uuid) -> Answer {
    let key = Uuid::now_v7().to_string();
    person.post(&format!("/reservations/{reservation_id}/payment"), &[("request_key", &key)]).await
}

async fn enrich(people: &[Person]) {
    for person in people {
        let charged = person.post("/wallet/charges", &[("amount", 1_000_000)]).await;
        assert_eq!(charged.status, 201, "{}", charged.body);
    }
}

#[sqlx::test]
async fn what_is_given_back_is_held_at_once_for_whoever_wished_first(db: PgPool) {
    let house = SoldOut::with(db.clone(), 3, &[]).await;
    let people = house.office.crowd(2, "Wisher").await;
    enrich(&people).await;
    for (nth, person) in people.iter().enumerate() {
        let wished = house.wish(person, json!({ "places": 1 })).await;
        assert_eq!(wished.status, 201, "{}", wished.body);
        assert_eq!(wished.json()["number"], nth + 1);
    }
    let listed = people[1].get(&house.path()).await.json();
    assert_eq!((&listed["waiting"], &listed["wish"]["ahead"]), (&json!(2), &json!(1)));

    assert_eq!(house.release(1).await.status, 200);
    let offer = house.offer_of(&people[0]).await;
    assert_eq!(house.wish_of(&people[1]).await["ahead"], 0);
    let held = people[0].get(&format!("/reservations/{offer}")).await.json();
    assert_eq!(held["status"], "HELD");
    assert_eq!(held["items"][0]["seat_id"], house.concert.seat_ids[1]);
    let secs = "select hold_ttl_secs from reservations where wish_id is not null";
    assert_eq!(read_one::<i32>(&db, secs).await, 900);
    // No other account gets it, and its owner pays without having been in the queue.
    let stranger = house.office.sign_in("stranger").await;
    house.let_in(std::slice::from_ref(&stranger)).await;
    let refused = hold(&stranger, &house.concert, &house.concert.seat_ids[1..2]).await;
    assert_eq!(refused.code(), "seat-unavailable", "{}", refused.body);
    let paid = pay(&people[0], offer).await;
    assert_eq!(paid.status, 201, "{}", paid.body);

    // A place of the zone, to the second; what is paid for and refunded is offered, too.
    assert_eq!(house.release(3).await.status, 200);
    let second = house.offer_of(&people[1]).await;
    let held = people[1].get(&format!("/reservations/{second}")).await.json();
    assert_eq!(held["items"][0]["quantity"], 1);
    assert!(held["items"][0]["zone_id"].is_string(), "{held}");
    assert_eq!(house.wish(&people[1], json!({ "places": 1 })).await.status, 201);
    assert_eq!(give_back(&people[0], offer).await.status, 200);
    house.offer_of(&people[1]).await;
    house.office.close().await;
}

#[sqlx::test]
async fn a_ticket_that_is_given_back_by_itself_goes_to_the_first_wish(db: PgPool) {
    let house = SoldOut::with(db.clone(), 2, &[]).await;
    let wisher = house.office.sign_in("wisher").await;
    enrich(&house.holders[..1]).await;
    let paid = pay(&house.holders[0], house.reservations[0]).await.json();
    assert_eq!(house.wish(&wisher, json!({ "places": 1 })).await.status, 201);
    let path = format!("/tickets/{}/refund", paid["tickets"][0].as_str().unwrap());
    let given = house.holders[0].post_json(&path, &json!({})).await;
    assert_eq!(given.status, 201, "{}", given.body);
    let offer = house.offer_of(&wisher).await;
    let held = wisher.get(&format!("/reservations/{offer}")).await.json();
    assert_eq!(held["items"][0]["seat_id"], house.concert.seat_ids[0]);
    house.office.close().await;
}

#[sqlx::test]
async fn an_offer_that_is_declined_or_lapses_goes_to_the_next(db: PgPool) {
    let house = SoldOut::with(db.clone(), 2, &[("TEST_EXPIRY_PERIOD_MS", "3600000")]).await;
    let people = house.office.crowd(3, "Wisher").await;
    for person in &people {
        assert_eq!(house.wish(person, json!({ "places": 1 })).await.status, 201);
    }
    assert_eq!(house.release(0).await.status, 200);
    let first = house.offer_of(&people[0]).await;
    assert_eq!(give_back(&people[0], first).await.status, 200);
    let second = house.offer_of(&people[1]).await;
    let page = people[0].visit(&house.path()).await;
    assert!(page.body.contains("You released the places"), "{}", page.body);
    assert!(page.has("form select[name=places]"), "whoever declined may wish again");

    run_sql(&db, "update reservations set created_at = created_at - interval '15 minutes',
         expires_at = expires_at - interval '15 minutes' where wish_id is not null and status = 'HELD'")
        .await;
    stagedoor::reservation::expire_lapsed(&house.office.app).await.unwrap();
    house.offer_of(&people[2]).await;
    let lapsed = people[1].get(&format!("/reservations/{second}")).await.json();
    assert_eq!(lapsed["status"], "EXPIRED");
    // An offer that is not taken is no sign of hoarding.
    run_sql(&db, "update programs set unpaid_holds_max = 1, cool_down_mins = 60").await;
    house.let_in(&people[..1]).await;
    let refused = hold(&people[0], &house.concert, &house.concert.seat_ids[..1]).await;
    assert_eq!(refused.code(), "seat-unavailable", "{}", refused.body);
    house.office.close().await;
}

#[sqlx::test]
async fn an_offer_is_told_by_mail_and_shown_on_the_page(db: PgPool) {
    let server = MailServer::start();
    let settings = [
        ("SMTP_URL", server.url()),
        ("MAIL_FROM", "Stagedoor <tickets@office.example>".to_owned()),
        ("PUBLIC_URL", "http://tickets.localhost".to_owned()),
    ];
    let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
    let house = SoldOut::with(db.clone(), 1, &settings).await;
    let ada = house.office.sign_in("ada").await;
    let form = [("places", "1".to_owned()), ("together", "on".to_owned())];
    assert_eq!(ada.submit(&house.path(), &form).await.status, 303);
    let page = ada.visit(&house.path()).await;
    assert!(page.body.contains("next") && page.body.contains("side by side"), "{}", page.body);
    house.release(0).await;
    let page = ada.visit(&house.path()).await;
    assert!(page.body.contains("holding places for you until"), "{}", page.body);
    let offer = house.offer_of(&ada).await;
    let page = ada.visit(&format!("/reservations/{offer}")).await;
    assert!(page.body.contains("from the waiting list"), "{}", page.body);
    assert!(!page.body.contains("/renewal"), "{}", page.body);
    let renewal = ada.post(&format!("/reservations/{offer}/renewal"), &()).await;
    assert_eq!(renewal.code(), "not-renewable");
    let told = server.until_received(1).await[0].clone();
    assert_eq!(told.recipients, [email_of(&db, ada.account_id).await]);
    assert_eq!(told.header("Subject"), "Places for A concert are held for you");
    let link = format!("http://tickets.localhost/reservations/{offer}");
    for word in ["Stalls", "50,000 points", "the next person", &link] {
        assert!(told.text.contains(word), "{word}: {}", told.text);
    }
    house.office.close().await;
}

#[sqlx::test]
async fn what_nobody_freed_is_offered_by_the_worker_and_a_list_ends_with_its_sale(db: PgPool) {
    let house = SoldOut::with(db.clone(), 2, &[]).await;
    let people = house.office.crowd(3, "Wisher").await;
    for person in &people {
        assert_eq!(house.wish(person, json!({ "places": 1 })).await.status, 201);
    }
    run_sql(
        &db,
        "update zones set capacity = capacity + 1, remaining = remaining + 1,
         version = version + 1",
    )
    .await;
    until("the worker offers it", async || house.wish_of(&people[0]).await["status"] == "OFFERED")
        .await;
    assert_eq!(house.wish_of(&people[1]).await["status"], "WAITING");
    run_sql(&db, "update programs set off_sale_at = now()").await;
    until("the list ends", async || house.wish_of(&people[2]).await["status"] == "ENDED").await;
    let page = people[2].visit(&house.path()).await;
    assert!(page.body.contains("This waiting list has ended"), "{}", page.body);
    assert_eq!(house.wish(&people[2], json!({ "places": 1 })).await.code(), "sale-closed");
    house.office.close().await;
}

#[sqlx::test]
async fn an_offer_has_the_steps_of_its_moment(db: PgPool) {
    let house = SoldOut::with(db.clone(), 2, &[]).await;
    let people = house.office.crowd(1, "Wisher").await;
    let terms =
        r#"update programs set refund_terms = '{"steps": [{"days": 3, "percent": 60, "fee": 7}]}'"#;
    run_sql(&db, terms).await;
    assert_eq!(house.wish(&people[0], json!({ "places": 1 })).await.status, 201);
    assert_eq!(house.release(0).await.status, 200);
    let offer = house.offer_of(&people[0]).await;
    let steps =
        people[0].get(&format!("/reservations/{offer}")).await.json()["refund_steps"].clone();
    assert_eq!((&steps[0]["percent"], &steps[0]["fee"]), (&json!(60), &json!(7)), "{steps}");
    house.office.close().await;
}
