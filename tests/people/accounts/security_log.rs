//! What watchers of the log see, and how much of it.

use sqlx::PgPool;
use stagedoor::infra::security_log::SecurityEvent;
use strum::VariantArray;

use crate::support::{ChildInstance, Concert, Hold, Office, Purchase};

const REFERENCE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SECURITY-EVENTS.md"));

#[test]
fn the_reference_names_every_event() {
    for event in SecurityEvent::VARIANTS {
        let row = format!("| `{}` |", event.as_ref());
        assert!(REFERENCE.contains(&row), "{row}");
    }
}

#[sqlx::test]
async fn a_flood_of_guesses_is_told_and_does_not_fill_the_disk(db: PgPool) {
    let mut office = Office::open_with(db, 1, &[]).await;
    let admin = office.employ("boss", "ADMIN").await;
    let guesser = office.stranger();
    let (door, ada) = (office.employ("door", "STAFF").await, office.sign_in("ada").await);
    let concert = Concert::tonight(&office.db).await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&office.db, &concert, &ada, hold).await;
    office.leave().await;
    let settings = [
        ("TRUSTED_PROXIES", "127.0.0.0/8"),
        ("TEST_LOGIN_FAILURES_PER_HOUR", "40"),
        ("LOG", "info"),
    ];
    let mut child = ChildInstance::start_with(&office, &settings).await;
    let guesser = child.moved(&guesser);
    for nth in 0..300 {
        let request = guesser.asks(reqwest::Method::POST, "/login", "application/json");
        let request = request.header("x-forwarded-for", "::ffff:203.0.113.7");
        let form =
            [("email", format!("victim-{nth}@example.com")), ("password", "a guess or so".into())];
        let status = guesser.send_form(request, &form).await.status;
        assert_eq!(status, if nth < 40 { 401 } else { 429 }, "{nth}");
    }
    let admin = child.moved(&admin);
    let form = [("name", "Hall"), ("address", "1 Lane"), ("time_zone", "Asia/Seoul")];
    assert_eq!(admin.post("/admin/venues", &form).await.status, 201);
    // An act as well, and one for each visitor: the audit log has it, this log has not.
    let check_ins = format!("/door/{}/check-ins", concert.schedule_id);
    let let_in = child.moved(&door).post(&check_ins, &[("code", &bought.codes[0])]).await;
    assert_eq!(let_in.status, 201, "{}", let_in.body);
    child.ask_to_stop().await;
    assert!(child.ended().await.success());

    let log = child.log();
    let lines = |name: &str| {
        let name = format!("event=\"{name}\"");
        log.lines()
            .filter(|line| line.contains(" security: ") && line.contains(&name))
            .collect::<Vec<_>>()
    };
    for event in ["log-in-failed", "log-in-throttled"] {
        let told = lines(event);
        assert!((10..=60).contains(&told.len()), "{event} {} times", told.len());
        assert!(told.iter().all(|line| line.contains(" client=203.0.113.7 ")), "{told:?}");
        assert!(told.iter().all(|line| line.contains("email_hash=")), "{told:?}");
    }
    assert!(!log.contains("victim-") && !log.contains("a guess or so"), "{log}");
    let acts = lines("admin-act");
    let who = format!("account_id={}", admin.account_id);
    assert!(
        acts.len() == 1 && acts[0].contains("act=\"venue-created\"") && acts[0].contains(&who),
        "{log}"
    );
    assert!(acts[0].contains("client=127.0.0.1"), "{}", acts[0]);
}
