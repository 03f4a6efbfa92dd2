//! A cancelled program: everything that was sold or held of it goes back, once.

use std::time::Duration;

use serde_json::Value;
use sqlx::PgPool;
use stagedoor::admin;

use super::acts;
use crate::support::{Concert, ConcertOptions, Hold, Office, Purchase, ledger::balance};

const BUYERS: usize = 24;

#[sqlx::test]
async fn a_cancelled_program_gives_everything_back_once(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats: 40, starts_in_secs: 3_600, ..ConcertOptions::default() };
    let concert = Concert::with(&db, options).await;
    let admin = office.employ("admin", "ADMIN").await;
    let door = office.employ("door", "STAFF").await;
    let people = office.crowd(BUYERS + 1, "ada").await;
    let mut bought = Vec::new();
    for (idx, person) in people[..BUYERS].iter().enumerate() {
        // Agreed: half of it. A cancelled program gives all of it back.
        let seats = &concert.seat_ids[idx..=idx];
        let hold = Hold { seat_ids: seats, places: 1, refund_percent: 50, ..Hold::default() };
        bought.push(Purchase::make(&db, &concert, person, hold).await);
    }
    let held = Hold { seat_ids: &concert.seat_ids[30..32], ..Hold::default() };
    let held = held.write(&db, &concert, people[BUYERS].account_id).await;
    let scan = format!("/door/{}/check-ins", concert.schedule_id);
    assert_eq!(door.post(&scan, &[("code", &bought[0].codes[0])]).await.status, 201);

    let path = format!("/admin/programs/{}/cancellation", concert.program_id);
    assert_eq!(admin.post(&path, &[("version", "0")]).await.status, 422, "without a reason");
    let form = [("version", "0"), ("reason", "the singer is ill")];
    assert_eq!(admin.submit(&path, &form).await.status, 303);
    let again = admin.post(&path, &[("version", "1"), ("reason", "once more")]).await;
    assert_eq!((again.status, again.code().as_str()), (409, "wrong-status"));
    let unpaid = people[BUYERS].post(&format!("/reservations/{held}/payment"), &()).await;
    assert!([409, 410].contains(&unpaid.status), "{}", unpaid.body);

    // Both instances work at it, and so does this test.
    let progress = loop {
        admin::wind_down(&office.app).await.unwrap();
        let told: Value = admin.get(&path).await.json()["progress"].clone();
        if told["held"] == 0 && told["confirmed"] == 0 {
            break told;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!((&progress["done"], &progress["used"]), (&24.into(), &1.into()), "{progress}");
    assert_eq!(progress["refunded"], 80_000 * 23);
    for (idx, person) in people[..BUYERS].iter().enumerate() {
        let expected = if idx == 0 { 920_000 } else { 1_000_000 };
        assert_eq!(balance(&db, person.account_id).await, expected, "person {idx}");
    }
    let void = door.post(&scan, &[("code", &bought[5].codes[0])]).await;
    assert_eq!((void.status, void.code().as_str()), (409, "ticket-void"));
    assert!(admin.visit(&path).await.body.contains("Everything was given back"));
    sqlx::query("update programs set cancelled_at = cancelled_at - interval '1 minute'")
        .execute(&db)
        .await
        .unwrap();
    admin::wind_down(&office.app).await.unwrap();
    assert_eq!(admin.get(&path).await.json()["progress"]["is_over"], true);
    assert_eq!(acts(&db).await, ["checked-in", "program-cancelled"]);
    office.verify().await;
    office.close().await;
}
