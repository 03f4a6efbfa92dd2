//! One account on two devices: two log-ins, one place.

use std::time::Duration;

use serde_json::json;
use sqlx::PgPool;

use super::{crowded, join, queue_path_of, until_status};
use crate::support::{Answer, Concert, ConcertOptions, Office, Person, count, storm};

/// They stand at the same place of the same queue.
async fn same_place(desktop: &Person, phone: &Person, concert: &Concert) -> serde_json::Value {
    let [left, right] =
        [desktop.get(&queue_path_of(concert)).await, phone.get(&queue_path_of(concert)).await];
    for what in ["status", "queue_number", "ahead", "waiting", "expires_at"] {
        assert_eq!(left.json()[what], right.json()[what], "{what}");
    }
    left.json()
}

async fn depart(device: &Person, concert: &Concert, number: i64) -> Answer {
    device.post(&format!("{}/departure", queue_path_of(concert)), &[("queue_number", number)]).await
}

#[sqlx::test]
async fn two_log_ins_have_one_place_and_whatever_one_does_the_other_sees(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::with(&db, crowded()).await;
    let (eve, desktop) = (office.sign_in("Eve").await, office.sign_in("Ada").await);
    let phone = office.log_in(&desktop, 1).await;
    join(&eve, &concert).await;

    let clicks = (0..100).map(|nth| if nth % 2 == 0 { desktop.clone() } else { phone.clone() });
    let answers = storm(clicks.map(|device| {
        let path = queue_path_of(&concert);
        async move { device.post(&path, &()).await }
    }))
    .await;
    assert_eq!(count(&answers, 201, ""), 1, "{answers:?}");
    assert_eq!(count(&answers, 409, "token-already-issued"), 99);
    let state = same_place(&desktop, &phone, &concert).await;
    assert_eq!((&state["queue_number"], &state["ahead"]), (&json!(2), &json!(0)), "{state}");

    // Left on one, gone on both; joined anew on the other, there on both.
    assert_eq!(depart(&desktop, &concert, 2).await.status, 204);
    assert_eq!(same_place(&desktop, &phone, &concert).await["status"], "CANCELLED");
    assert_eq!(join(&phone, &concert).await.json()["queue_number"], 3);
    assert_eq!(same_place(&desktop, &phone, &concert).await["status"], "WAITING");
    let old_tab = depart(&desktop, &concert, 2).await;
    assert_eq!((old_tab.status, old_tab.code().as_str()), (404, "no-token"));

    // Let in on one, in on the other: each gets a pass of its own.
    assert_eq!(eve.delete(&queue_path_of(&concert)).await.status, 204);
    until_status(&phone, &concert, "ACTIVE").await;
    let pass = concert.pass_cookie();
    assert!(phone.cookie(&pass).is_some() && desktop.cookie(&pass).is_none());
    let map = format!("/schedules/{}", concert.schedule_id);
    assert_eq!(desktop.get(&map).await.status, 200);
    assert!(desktop.cookie(&pass).is_some(), "handed out to whoever is inside");
    assert!(same_place(&desktop, &phone, &concert).await["expires_at"].is_string());
    let order = json!({ "seat_ids": [concert.seat_ids[0]] });
    let held = desktop.post_json(&format!("{map}/reservations"), &order).await;
    let held = format!("/reservations/{}", held.json()["reservation_id"].as_str().unwrap());
    assert_eq!(phone.get(&held).await.status, 200);

    // A log-out of one takes nothing from the other; leaving shuts both out.
    assert!([200, 204].contains(&desktop.post("/logout", &()).await.status));
    assert_eq!(desktop.get(&queue_path_of(&concert)).await.status, 401);
    assert_eq!(phone.get(&map).await.status, 200);
    let desktop = office.log_in(&phone, 0).await;
    assert_eq!(desktop.get(&map).await.status, 200);
    assert_eq!(depart(&phone, &concert, 3).await.status, 204);
    let shut = desktop.get(&map).await;
    assert_eq!((shut.status, shut.code().as_str()), (403, "not-admitted"));
    office.verify().await;
    office.close().await;
}

/// An account that asks on any device is there.
#[sqlx::test]
async fn one_device_that_asks_keeps_the_place_of_both(db: PgPool) {
    let settings = [("TEST_QUEUE_GRACE_SECS", "3"), ("TEST_ADMISSION_PERIOD_MS", "100")];
    let office = Office::open_with(db.clone(), 2, &settings).await;
    let concert = Concert::with(&db, crowded()).await;
    let (eve, desktop) = (office.sign_in("Eve").await, office.sign_in("Ada").await);
    let (phone, third) = (office.log_in(&desktop, 1).await, office.sign_in("Bea").await);
    for person in [&eve, &desktop, &third] {
        join(person, &concert).await;
    }
    // For longer than the grace.
    let ask = async |devices: &[&Person]| {
        for _ in 0..80 {
            for device in devices {
                assert_eq!(device.get(&queue_path_of(&concert)).await.status, 200);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    // The desktop is silent for longer than the grace, the phone is not.
    ask(&[&phone, &third]).await;
    eve.delete(&queue_path_of(&concert)).await;
    until_status(&phone, &concert, "ACTIVE").await;
    assert_eq!(desktop.get(&queue_path_of(&concert)).await.json()["status"], "ACTIVE");

    // Both are silent: passed over. Either one that asks brings both back.
    phone.delete(&queue_path_of(&concert)).await;
    until_status(&third, &concert, "ACTIVE").await;
    assert_eq!(join(&phone, &concert).await.json()["queue_number"], 4);
    let fourth = office.sign_in("Cyd").await;
    join(&fourth, &concert).await;
    ask(&[&fourth]).await;
    third.delete(&queue_path_of(&concert)).await;
    until_status(&fourth, &concert, "ACTIVE").await;
    let page = desktop.visit(&queue_path_of(&concert)).await;
    assert!(page.body.contains("Your turn came while you were away"), "{}", page.body);
    let state = same_place(&desktop, &phone, &concert).await;
    assert_eq!((&state["queue_number"], &state["ahead"]), (&json!(4), &json!(0)), "{state}");
    office.verify().await;
    office.close().await;
}

#[sqlx::test]
async fn a_page_that_hears_first_of_the_turn_leads_to_the_seats(db: PgPool) {
    let office = Office::open(db.clone()).await;
    // Without a line there is nothing to leave.
    let options = ConcertOptions { queue_capacity: Some(10), ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let queue = queue_path_of(&concert);
    let desktop = office.sign_in("Ada").await;
    let phone = office.log_in(&desktop, 1).await;
    join(&desktop, &concert).await;
    until_status(&desktop, &concert, "ACTIVE").await;

    let led = phone.visit(&queue).await;
    let seats = format!("/schedules/{}", concert.schedule_id);
    assert_eq!((led.status, led.location()), (303, seats.as_str()), "{}", led.body);
    assert!(phone.cookie(&concert.pass_cookie()).is_some());
    // Who comes back has come to leave, or to read the receipt.
    let back = phone.visit(&queue).await;
    assert_eq!((back.status, back.texts(".leave__form .button").len()), (200, 1), "{}", back.body);
    office.close().await;
}
