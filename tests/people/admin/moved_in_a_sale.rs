//! A performance that is moved in the middle of its sale, by processes that are killed meanwhile.

use std::collections::BTreeMap;

use serde_json::json;
use sqlx::PgPool;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::told_moves::Show;
use crate::support::{
    Answer, ChildInstance, Concert, Death, MailServer, Person, admit, count, hold, read_all,
    read_one, run_sql, storm, until,
};

/// People who buy while it is moved, in three crowds.
const BUYERS: usize = 18;

/// Mails about the purchases that were begun before a move whose mails were written without them.
const UNTOLD: &str = "select o.id from schedule_moves m
    join reservations r on r.schedule_id = m.schedule_id and r.created_at < m.moved_at
    join outbox o on o.payload ->> 'reservation_id' = r.id::text
    where not exists (select from outbox
        where dedupe_key = 'performance-moved:' || m.id || ':' || r.account_id)";

/// Charges, holds a seat and pays for it; returns the last answer.
async fn buy(person: Person, concert: Concert, seat_id: i64) -> Answer {
    assert_eq!(person.post("/wallet/charges", &[("amount", 100_000)]).await.status, 201);
    let held = hold(&person, &concert, &[seat_id]).await;
    if held.status != 201 {
        return held;
    }
    let id = held.json()["reservation_id"].as_str().unwrap().to_owned();
    person.post(&format!("/reservations/{id}/payment"), &()).await
}

/// Has six people buy a seat each on `seller`.
fn sell(show: &Show, seller: &ChildInstance, people: &[Person], nth: usize) -> JoinHandle<usize> {
    let crowd = people.iter().skip(nth * 6).take(6).enumerate().map(|(idx, person)| {
        let seat_id = show.concert.seat_ids[1 + nth * 6 + idx];
        buy(seller.moved(person), show.concert.clone(), seat_id)
    });
    let crowd: Vec<_> = crowd.collect();
    tokio::spawn(async move { count(&storm(crowd).await, 201, "") })
}

/// Asks `child` to move the performance.
async fn ask_to_move(child: &ChildInstance, show: &Show, starts_at: &str) -> JoinHandle<Answer> {
    let (admin, path) = (child.moved(&show.admin), show.path());
    let version = admin.get(&path).await.json()["schedule"]["version"].to_string();
    let form = json!({ "version": version, "starts_at": starts_at, "words": "The stage is wet." });
    tokio::spawn(async move { admin.post_json(&path, &form).await })
}

async fn is_moved(db: &PgPool, starts_at: &str) -> bool {
    let starts: Vec<String> = read_all(
        db,
        "select to_char(is_at at time zone 'Asia/Seoul', 'YYYY-MM-DD\"T\"HH24:MI') from schedule_moves",
    )
    .await;
    starts.iter().any(|start| start == starts_at)
}

/// Delivers the mails that wait, by processes of which the first is killed, and says how often each recipient has each
/// of them by its id.
async fn deliver(show: &Show) -> BTreeMap<(String, String), usize> {
    let server = MailServer::start();
    let url = server.url();
    let settings = [("SMTP_URL", url.as_str()), ("MAIL_FROM", "Stagedoor <t@office.example>")];
    let mut child = ChildInstance::start_with(&show.office, &settings).await;
    server.until_received(300).await;
    child.kill();
    // What the dead process had claimed is free again after some minutes.
    run_sql(&show.office.db, "update outbox set next_attempt_at = now() where sent_at is null")
        .await;
    let _child = ChildInstance::start_with(&show.office, &settings).await;
    until("every mail", async || {
        let left = "select count(*) from outbox where sent_at is null and failed_at is null";
        read_one::<i64>(&show.office.db, left).await == 0
    })
    .await;
    let mut delivered = BTreeMap::new();
    for mail in server.received() {
        let mail = (mail.header("To").to_owned(), mail.header("Message-ID").to_owned());
        *delivered.entry(mail).or_default() += 1;
    }
    delivered
}

#[sqlx::test]
async fn two_thousand_tickets_moved_in_a_sale_are_told_once_each_however_often_a_process_dies(
    db: PgPool,
) {
    let mut show = Show::open(&db, &[]).await;
    let ada = show.office.sign_in("ada").await;
    show.buy(&ada, 0).await;
    show.give_to_guests(2_000).await;
    run_sql(&db, "update zones set capacity = capacity + 2000").await;
    let people = show.office.crowd(BUYERS, "buyer").await;
    admit(&db, &show.concert, &people).await;
    show.office.leave().await;
    let seller = ChildInstance::start(&show.office).await;
    // The mails are written before the row of the move, and the line of the log after it.
    let deaths = [
        Death::Writing("schedule_moves"),
        Death::Writing("audit_log"),
        Death::Committing("schedule_moves"),
    ];
    for (nth, death) in deaths.into_iter().enumerate() {
        let starts_at = format!("2031-06-1{nth}T20:00");
        let mut child = ChildInstance::start(&show.office).await;
        death.set(&db).await;
        let sales = sell(&show, &seller, &people, nth);
        let asked = ask_to_move(&child, &show, &starts_at).await;
        death.reached(&db).await;
        child.kill();
        assert!(asked.await.is_err(), "an answer came from a dead process");
        death.over(&db).await;
        assert_eq!(sales.await.unwrap(), 6, "{death:?}: the sale goes on");
        assert_eq!(is_moved(&db, &starts_at).await, matches!(death, Death::Committing(_)));
        if !is_moved(&db, &starts_at).await {
            let moved = ask_to_move(&seller, &show, &starts_at).await.await.unwrap();
            assert_eq!(moved.status, 200, "{}", moved.body);
        }
    }
    for mail in read_all::<Uuid>(&db, UNTOLD).await {
        let letter = seller.moved(&show.admin).visit(&format!("/admin/mails/{mail}")).await.body;
        assert!(
            letter.contains("Before"),
            "it waited for the move, and its own mail says so: {letter}"
        );
    }
    let guests = "select count(*) from (
        select recipient from outbox where kind = 'performance-moved' and recipient like 'guest%'
        group by recipient having count(*) = 3 and count(distinct dedupe_key) = 3) told";
    assert_eq!(read_one::<i64>(&db, guests).await, 2_000, "each move once to each");
    run_sql(&db, "delete from outbox where kind <> 'performance-moved'").await;
    run_sql(
        &db,
        "delete from outbox where dedupe_key not like
            (select 'performance-moved:' || id || ':%' from schedule_moves order by moved_at desc limit 1)",
    )
    .await;
    let n_mails: i64 = read_one(&db, "select count(*) from outbox").await;
    drop(seller);
    let delivered = deliver(&show).await;
    assert_eq!(i64::try_from(delivered.len()).unwrap(), n_mails, "none is lost");
    // What the killed process was handing over on its four connections comes once more, with its id.
    let again = delivered.values().filter(|n_times| **n_times > 1).count();
    assert!(again <= 4 && delivered.values().all(|n_times| *n_times <= 2), "{again}");
}

/// Tables that a move writes, in the order of its statements. The line is announced of it, and an endpoint hears of both.
const WRITTEN: [&str; 7] = [
    "outbox",
    "schedules",
    "schedule_moves",
    "queue_announcements",
    "queue_moves",
    "domain_events",
    "audit_log",
];

#[sqlx::test]
async fn a_move_whose_process_dies_at_any_of_its_writes_is_told_whole_or_not_at_all_and_once(
    db: PgPool,
) {
    let mut show = Show::open(&db, &[]).await;
    let (ada, bob) = (show.office.sign_in("ada").await, show.office.sign_in("bob").await);
    show.buy(&ada, 0).await;
    admit(&db, &show.concert, &[bob]).await;
    let endpoint = "insert into webhook_endpoints (id, url, description, kinds, sealed_secret, paused_at) values
        (gen_random_uuid(), 'https://hook.example', 'a hook', array['performance.moved', 'queue.announced'],
        decode(repeat('00', 60), 'hex'), now())";
    run_sql(&db, endpoint).await;
    show.office.leave().await;
    let told = "select (select count(*) from outbox where kind = 'performance-moved')
        || ' ' || (select count(*) from schedule_moves)
        || ' ' || (select count(*) from queue_announcements)
        || ' ' || (select count(*) from queue_moves where kind = 'ANNOUNCED')
        || ' ' || (select count(*) from domain_events where kind = 'performance.moved')
        || ' ' || (select count(*) from domain_events where kind = 'queue.announced')
        || ' ' || (select count(*) from audit_log where act = 'schedule-edited')";
    let deaths = WRITTEN.map(Death::Writing).into_iter().chain([Death::Committing("outbox")]);
    let mut child = ChildInstance::start(&show.office).await;
    for (nth, death) in deaths.enumerate() {
        let starts_at = format!("2031-06-1{nth}T20:00");
        death.set(&db).await;
        let asked = ask_to_move(&child, &show, &starts_at).await;
        death.reached(&db).await;
        child.kill();
        assert!(asked.await.is_err(), "an answer came from a dead process");
        death.over(&db).await;
        child = ChildInstance::start(&show.office).await;
        let is_done = matches!(death, Death::Committing(_));
        assert_eq!(is_moved(&db, &starts_at).await, is_done, "{death:?}");
        let n_times = vec![(nth + usize::from(is_done)).to_string(); 7].join(" ");
        assert_eq!(read_one::<String>(&db, told).await, n_times, "{death:?}");
        if !is_done {
            let moved = ask_to_move(&child, &show, &starts_at).await.await.unwrap();
            assert_eq!(moved.status, 200, "{}", moved.body);
        }
    }
}
