//! Events: what happened, written for the endpoints that ask for it, in the transaction in which it
//! happened.

mod catalog;

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool};
use stagedoor::entry_queue::tell_openings;
use uuid::Uuid;

use crate::support::{
    Concert, ConcertOptions, Hold, Office, Person, Purchase, read_all, read_all_with, read_one,
    run_sql, run_sql_with, until,
};

/// Registers an endpoint that asks for `kinds`, and is paused: nothing is sent to it.
async fn listen(db: &PgPool, kinds: &str) {
    let sql = format!(
        "insert into webhook_endpoints (id, url, description, kinds, sealed_secret, paused_at,
             created_at)
         values (gen_random_uuid(), 'https://hooks.example/', 'Accounting', '{{{kinds}}}',
             sha256('a') || substr(sha256('b'), 1, 28), now(), now() - interval '1 hour')"
    );
    run_sql(db, AssertSqlSafe(sql)).await;
}

const RESERVATIONS: &str = "reservation.held,reservation.paid,reservation.expired,\
     reservation.released,reservation.refunded";

/// What was told, in order.
async fn told(db: &PgPool) -> Vec<String> {
    read_all(db, "select kind from domain_events order by position").await
}

async fn told_of(db: &PgPool, subject_id: Uuid) -> Vec<String> {
    let sql = "select kind from domain_events where subject_id = $1 order by position";
    read_all_with(db, sql, subject_id).await
}

async fn hold(person: &Person, concert: &Concert, nth: usize) -> Uuid {
    let joined = person.post(&format!("/programs/{}/queue", concert.slug), &()).await;
    assert!([201, 409].contains(&joined.status), "{}", joined.body);
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    let held = person.post(&path, &[("seat_ids", concert.seat_ids[nth].to_string())]).await;
    assert_eq!(held.status, 201, "{}", held.body);
    held.json()["reservation_id"].as_str().unwrap().parse().unwrap()
}

async fn act(person: &Person, reservation_id: Uuid, what: &str) {
    let done = person.post(&format!("/reservations/{reservation_id}/{what}"), &()).await;
    assert!([200, 201].contains(&done.status), "{}", done.body);
}

async fn charge(person: &Person, amount: i64) {
    let answer = person.post("/wallet/charges", &[("amount", amount)]).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

#[sqlx::test]
async fn where_nobody_listens_nothing_is_written(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    listen(&db, "ticket.checked_in").await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 100_000).await;
    let id = hold(&ada, &concert, 0).await;
    act(&ada, id, "payment").await;
    act(&ada, id, "cancellation").await;
    assert_eq!(told(&db).await, Vec::<String>::new());
    run_sql(&db, "update webhook_endpoints set sealed_secret = null, deleted_at = now()").await;
    hold(&ada, &concert, 1).await;
    assert_eq!(told(&db).await, Vec::<String>::new(), "a deleted endpoint asks for nothing");
    office.close().await;
}

#[sqlx::test]
async fn a_reservation_tells_of_each_of_its_changes_in_order(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    listen(&db, RESERVATIONS).await;
    let ada = office.sign_in("ada").await;
    charge(&ada, 100_000).await;

    let bought = hold(&ada, &concert, 0).await;
    act(&ada, bought, "payment").await;
    act(&ada, bought, "cancellation").await;
    let expected = ["reservation.held", "reservation.paid", "reservation.refunded"];
    assert_eq!(told_of(&db, bought).await, expected);
    let payload: Value =
        read_one(&db, "select payload from domain_events where kind = 'reservation.held'").await;
    assert_eq!(payload["reservation_id"], bought.to_string());
    assert_eq!(payload["schedule_id"], concert.schedule_id.to_string());
    assert_eq!((&payload["places"], &payload["total"]), (&1.into(), &50_000.into()));
    assert!(payload["expires_at"].is_string() && payload["is_offer"] == false, "{payload}");

    let released = hold(&ada, &concert, 1).await;
    act(&ada, released, "cancellation").await;
    assert_eq!(told_of(&db, released).await, ["reservation.held", "reservation.released"]);

    let lapsed = Hold { seat_ids: &concert.seat_ids[2..4], ends_in_secs: -1, ..Hold::default() };
    let lapsed = lapsed.write(&db, &concert, ada.account_id).await;
    until("an expiry that is told", async || told_of(&db, lapsed).await == ["reservation.expired"])
        .await;
    let sql = "select (payload ->> 'places')::integer from domain_events
        where kind = 'reservation.expired'";
    assert_eq!(read_one::<i32>(&db, sql).await, 2);
    let n_deliveries: i64 = read_one(&db, "select count(*) from webhook_deliveries").await;
    assert_eq!(n_deliveries, 6, "one of each event, for the one endpoint");
    office.close().await;
}

#[sqlx::test]
async fn a_refused_change_tells_nothing(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::usual(&db).await;
    listen(&db, RESERVATIONS).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    let id = hold(&ada, &concert, 0).await;
    let poor = ada.post(&format!("/reservations/{id}/payment"), &()).await;
    assert_eq!(poor.status, 402, "{}", poor.body);
    let path = format!("/schedules/{}/reservations", concert.schedule_id);
    assert_eq!(bob.post(&format!("/programs/{}/queue", concert.slug), &()).await.status, 201);
    let taken = bob.post(&path, &[("seat_ids", concert.seat_ids[0])]).await;
    assert_eq!(taken.status, 409, "{}", taken.body);
    assert_eq!(told(&db).await, ["reservation.held"]);
    office.close().await;
}

#[sqlx::test]
async fn a_batch_of_sixteen_payments_tells_sixteen_events(db: PgPool) {
    const BUYERS: usize = 16;
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    listen(&db, RESERVATIONS).await;
    listen(&db, RESERVATIONS).await;
    let people = office.crowd(BUYERS, "ada").await;
    let mut held = Vec::new();
    for (nth, person) in people.iter().enumerate() {
        charge(person, 50_000).await;
        let hold = Hold { seat_ids: &concert.seat_ids[nth..=nth], ..Hold::default() };
        held.push((person.clone(), hold.write(&db, &concert, person.account_id).await));
    }
    let paying = held.iter().map(|(person, id)| act(person, *id, "payment"));
    futures_util::future::join_all(paying).await;
    assert_eq!(told(&db).await, ["reservation.paid"; BUYERS]);
    for (_, id) in &held {
        assert_eq!(told_of(&db, *id).await, ["reservation.paid"]);
    }
    let n_deliveries: i64 = read_one(&db, "select count(*) from webhook_deliveries").await;
    assert_eq!(n_deliveries, 32, "each to both endpoints");
    let n_transactions: i64 =
        read_one(&db, "select count(distinct xmin::text) from domain_events").await;
    assert!(n_transactions < 16, "some were paid together");
    office.close().await;
}

#[sqlx::test]
async fn a_ticket_tells_of_the_door(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let concert = Concert::tonight(&db).await;
    listen(&db, "ticket.checked_in,ticket.check_in_undone").await;
    let ada = office.sign_in("ada").await;
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    let door = office.employ("door", "STAFF").await;
    let path = format!("/door/{}/check-ins", concert.schedule_id);
    let let_in = door.post(&path, &[("code", &bought.codes[0])]).await;
    assert_eq!(let_in.status, 201, "{}", let_in.body);
    assert_eq!(door.post(&path, &[("code", &bought.codes[0])]).await.status, 409);
    let ticket_id: Uuid = let_in.json()["ticket_id"].as_str().unwrap().parse().unwrap();
    let undone = door.post(&format!("{path}/{ticket_id}/undoing"), &()).await;
    assert_eq!(undone.status, 200, "{}", undone.body);
    let expected = ["ticket.checked_in", "ticket.check_in_undone"];
    assert_eq!(told_of(&db, ticket_id).await, expected);
    let payload: Value =
        read_one(&db, "select payload from domain_events order by position limit 1").await;
    assert_eq!(payload["schedule_id"], concert.schedule_id.to_string());
    office.close().await;
}

#[sqlx::test]
async fn a_sale_that_opens_is_told_once_and_once_more_when_it_is_put_off(db: PgPool) {
    let office = Office::open(db.clone()).await;
    let soon = ConcertOptions { opens_in_secs: 3_600, ..ConcertOptions::default() };
    let concert = Concert::with(&db, soon).await;
    listen(&db, "queue.opened").await;
    let tell = async || {
        let (first, second) = tokio::join!(tell_openings(&office.app), tell_openings(&office.app));
        first.and(second).unwrap();
    };
    tell().await;
    assert_eq!(told(&db).await, Vec::<String>::new());
    let opens = "update programs set on_sale_at = clock_timestamp() where id = $1";
    run_sql_with(&db, opens, concert.program_id).await;
    tell().await;
    tell().await;
    assert_eq!(told_of(&db, concert.program_id).await, ["queue.opened"]);
    run_sql_with(&db, opens, concert.program_id).await;
    tell().await;
    assert_eq!(told_of(&db, concert.program_id).await, ["queue.opened"; 2]);
    office.close().await;
}

#[sqlx::test]
async fn old_events_go_with_their_deliveries(db: PgPool) {
    let office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    listen(&db, RESERVATIONS).await;
    let ada = office.sign_in("ada").await;
    hold(&ada, &concert, 0).await;
    hold(&ada, &concert, 1).await;
    run_sql(&db, "alter table domain_events disable trigger domain_events_never_change").await;
    run_sql(
        &db,
        "update domain_events set occurred_at = now() - interval '31 days'
         where position = (select min(position) from domain_events)",
    )
    .await;
    run_sql(&db, "alter table domain_events enable trigger domain_events_never_change").await;
    stagedoor::events::delete_old(&office.app.db).await.unwrap();
    let n_deliveries: i64 = read_one(&db, "select count(*) from webhook_deliveries").await;
    assert_eq!((told(&db).await.len(), n_deliveries), (1, 1), "only the young one");
    office.close().await;
}
