//! An exchange that was carried out, broken in each of its parts.

use std::collections::BTreeSet;

use serde_json::json;
use sqlx::PgPool;
use stagedoor::verify::Invariant::{
    self, EventsTellWhatHappened, ExchangesAreWhole, RequestKeysHold,
};
use uuid::Uuid;

use super::{UNGUARDED, run, violations};
use crate::support::{Concert, Hold, Office, Purchase, admit, hold, run_sql};

/// Has a person exchange one of two seats for another, and breaks what is left of it with `sql`.
async fn breaks_exchanged(db: PgPool, invariant: Invariant, sql: &str) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    run_sql(&db, "update programs set exchange_fee = 1000").await;
    let ada = office.sign_in("ada").await;
    let two = Hold { seat_ids: &concert.seat_ids[..2], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, two).await;
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    let form = json!({ "codes": bought.codes[..1], "request_key": Uuid::now_v7() });
    let begun =
        ada.post_json(&format!("/reservations/{}/exchange", bought.reservation_id), &form).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let held = hold(&ada, &concert, &concert.seat_ids[4..5]).await.json();
    let path = format!("/reservations/{}/payment", held["reservation_id"].as_str().unwrap());
    assert_eq!(ada.post(&path, &()).await.status, 201);
    office.close().await;
    run(&db, format!("{UNGUARDED}; {sql}")).await;
    let found = violations(&db).await;
    let invariants: BTreeSet<Invariant> = found.iter().map(|found| found.invariant).collect();
    assert_eq!(invariants, BTreeSet::from([invariant]), "{found:#?}");
}

macro_rules! broken_exchanges {
    ($($name:ident: $invariant:ident, $sql:expr;)*) => {$(
        #[sqlx::test]
        async fn $name(db: PgPool) {
            breaks_exchanged(db, $invariant, $sql).await;
        }
    )*};
}

broken_exchanges! {
    an_exchange_that_took_a_ticket_and_is_not_done: ExchangesAreWhole,
        "update exchanges set status = 'ENDED', to_id = null";
    an_exchange_whose_tickets_were_worth_something_else: ExchangesAreWhole,
        "update exchanges set fee = 999";
    an_exchange_that_is_done_and_took_not_all_of_its_tickets: ExchangesAreWhole,
        "insert into exchanged_tickets (exchange_id, ticket_id)
         select x.id, t.id from exchanges x cross join tickets t where t.status = 'VALID'
            and not exists (select from ticket_returns r where r.ticket_id = t.id)
         order by t.id limit 1";
    an_exchange_for_an_order_that_was_not_made_in_it: ExchangesAreWhole,
        "update reservations set exchange_id = null";
    an_exchange_that_was_done_long_after_its_order: ExchangesAreWhole,
        "update exchanges set settled_at = now() + interval '5 minutes'";
    a_ticket_that_an_exchange_took_and_does_not_name: ExchangesAreWhole,
        "insert into exchanged_tickets (exchange_id, ticket_id)
         select x.id, t.id from exchanges x cross join tickets t where t.status = 'VALID'
         order by t.id limit 1;
         delete from exchanged_tickets where ticket_id = (select ticket_id from ticket_returns)";
    an_answer_about_an_exchange_that_is_not_there: RequestKeysHold,
        "insert into idempotency_keys (account_id, key, fingerprint, outcome)
         select id, gen_random_uuid(), '', jsonb_build_object('exchange_id', gen_random_uuid())
         from accounts limit 1";
    an_event_about_an_exchange_that_did_not_happen: EventsTellWhatHappened,
        "insert into domain_events (id, subject_id, kind, payload)
         select gen_random_uuid(), from_id, 'reservation.exchanged', '{}' from exchanges";
}
