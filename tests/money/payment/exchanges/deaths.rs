//! The process is killed at every write of an exchange. Afterwards the tickets have paid for the other places or are
//! what they were, and asking again tells which and does it once.

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::{FEE, SEAT, begin, held};
use crate::{
    payment::crashes::die,
    support::{
        Concert, ConcertOptions, Death, Hold, Office, Person, Purchase, admit_projected, hold,
        ledger::{self, balance},
        read_one, read_one_with, run_sql,
    },
};

/// Points of a person who has paid one seat.
const LEFT: i64 = 1_000_000 - SEAT;

/// Has one person buy the seat with the index `nth`, who is inside then.
async fn bought(office: &Office, concert: &Concert, nth: usize) -> (Person, Purchase) {
    let ada = office.sign_in("ada").await;
    let own = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
    let bought = Purchase::make(&office.db, concert, &ada, own).await;
    admit_projected(office, concert, std::slice::from_ref(&ada)).await;
    (ada, bought)
}

/// Lists what is not as it must be. The process that was killed had a Redis prefix of its own, so this office's Redis
/// does not know of the stay that it ended.
async fn violations(office: &Office) -> Vec<String> {
    let mut found = ledger::violations(office).await;
    found.retain(|violation| !violation.starts_with("Q2 "));
    found
}

async fn opened(db: &PgPool, seats: i32) -> (Office, Concert) {
    let office = Office::open(db.clone()).await;
    let options = ConcertOptions { seats, ..ConcertOptions::default() };
    let concert = Concert::with(db, options).await;
    run_sql(db, "update programs set exchange_fee = 1000").await;
    (office, concert)
}

#[sqlx::test]
async fn an_exchange_survives_the_death_while_it_is_paid(db: PgPool) {
    let deaths = [
        Death::Writing("idempotency_keys"),
        Death::Writing("payments"),
        Death::Writing("ticket_returns"),
        Death::Writing("exchanges"),
        Death::Writing("reservation_items"),
        Death::Writing("reservations"),
        Death::Writing("schedule_seats"),
        Death::Writing("tickets"),
        Death::Writing("wallets"),
        Death::Writing("point_transactions"),
        Death::Writing("outbox"),
        Death::Committing("exchanges"),
    ];
    let (office, concert) = opened(&db, 24).await;
    for (nth, death) in deaths.into_iter().enumerate() {
        let (ada, bought) = bought(&office, &concert, 2 * nth).await;
        let begun = begin(&ada, bought.reservation_id, &bought.codes).await;
        assert_eq!(begun.status, 201, "{}", begun.body);
        let other = concert.seat_ids[2 * nth + 1];
        let path = format!("/reservations/{}/payment", held(&hold(&ada, &concert, &[other]).await));
        let form = json!({ "request_key": Uuid::now_v7() });
        die(&office, &ada, &path, &form, death).await;
        let seats = async || {
            let status = "select status from schedule_seats where id = $1";
            let given = read_one_with::<String>(&db, status, concert.seat_ids[2 * nth]).await;
            (given, read_one_with::<String>(&db, status, other).await)
        };
        let is_done = matches!(death, Death::Committing(_));
        let (points, expected) = match is_done {
            true => (LEFT - FEE, ("AVAILABLE", "RESERVED")),
            false => (LEFT, ("RESERVED", "HELD")),
        };
        assert_eq!(violations(&office).await, Vec::<String>::new(), "{death:?}");
        assert_eq!(balance(&db, ada.account_id).await, points, "{death:?}");
        let (given, taken) = seats().await;
        assert_eq!((given.as_str(), taken.as_str()), expected, "{death:?}");
        for _ in 0..2 {
            let again = ada.post_json(&path, &form).await;
            assert_eq!(again.status, 201, "{death:?} {}", again.body);
            assert_eq!(again.json()["balance"], LEFT - FEE, "{death:?}");
        }
        assert_eq!(balance(&db, ada.account_id).await, LEFT - FEE, "{death:?}");
        assert_eq!(seats().await, ("AVAILABLE".into(), "RESERVED".into()), "{death:?}");
    }
    let told = "select count(*) from outbox where kind = 'tickets-exchanged'";
    assert_eq!(read_one::<i64>(&db, told).await, 12);
    assert_eq!(violations(&office).await, Vec::<String>::new());
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn the_beginning_of_an_exchange_survives_the_death_while_it_is_written(db: PgPool) {
    let deaths = [
        Death::Writing("idempotency_keys"),
        Death::Writing("exchanges"),
        Death::Writing("exchanged_tickets"),
        Death::Committing("exchanges"),
    ];
    let (office, concert) = opened(&db, 4).await;
    for (nth, death) in deaths.into_iter().enumerate() {
        let (ada, bought) = bought(&office, &concert, nth).await;
        let path = format!("/reservations/{}/exchange", bought.reservation_id);
        let form = json!({ "codes": bought.codes, "request_key": Uuid::now_v7() });
        die(&office, &ada, &path, &form, death).await;
        assert_eq!(violations(&office).await, Vec::<String>::new(), "{death:?}");
        let open = "select count(*) from exchanges where status = 'OPEN'";
        let done = i64::from(matches!(death, Death::Committing(_)));
        let before = i64::try_from(nth).unwrap();
        assert_eq!(read_one::<i64>(&db, open).await, before + done, "{death:?}");
        for _ in 0..2 {
            let again = ada.post_json(&path, &form).await;
            assert_eq!(again.status, 201, "{death:?} {}", again.body);
        }
        assert_eq!(read_one::<i64>(&db, open).await, before + 1, "{death:?}");
    }
    let ended = "select count(*) from exchanges where status = 'ENDED'";
    assert_eq!(read_one::<i64>(&db, ended).await, 0);
    office.close().await;
}
