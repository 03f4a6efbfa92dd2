//! The public beacon of a draw: waited for, believed only with its chain's signature, left out in public.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use stagedoor::entry_queue::{BeaconPart, DrawFault, check_draw};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::watch,
};

use super::*;

/// Round 123 of quicknet, as its relays tell it.
const SIGNATURE: &str = "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";
const ROUND: i64 = 123;

/// Relay that answers with what the test sets.
struct StandInRelay {
    url: String,
    answer: watch::Sender<String>,
    asked: Arc<AtomicUsize>,
}

impl StandInRelay {
    /// Opens a relay that knows no round.
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (answer, told) = watch::channel(http("404 Not Found", "{}"));
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = vec![0; 4_096];
                let n = stream.read(&mut head).await.unwrap_or_default();
                let head = String::from_utf8_lossy(&head[..n]).into_owned();
                assert!(head.contains(&format!("/public/{ROUND} ")), "{head}");
                let answer = told.borrow().clone();
                let _ = stream.write_all(answer.as_bytes()).await;
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { url, answer, asked }
    }

    /// Answers with `body` from now on, and waits until it was asked twice since.
    async fn tell(&self, body: &str) {
        self.answer.send_replace(http("200 OK", body));
        let before = self.asked.load(Ordering::SeqCst);
        eventually("two questions", async || {
            let n = self.asked.load(Ordering::SeqCst);
            if n >= before + 2 { Ok(()) } else { Err(n) }
        })
        .await;
    }
}

fn http(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn round_with(signature: &str) -> String {
    format!(r#"{{"round":{ROUND},"randomness":"00","signature":"{signature}"}}"#)
}

/// An office whose beacon is round 123 for a sale that opens as `concert` does.
async fn office_with(db: &PgPool, concert: &Concert, relay: &StandInRelay) -> Office {
    let opens = "select ceil(extract(epoch from on_sale_at))::bigint from programs where id = $1";
    let opens: i64 = read_one_with(db, opens, concert.program_id).await;
    let genesis = (opens + 10 - 3 * (ROUND - 1)).to_string();
    let settings = [("DRAND_URLS", relay.url.as_str()), ("TEST_DRAND_GENESIS_SECS", &genesis)];
    Office::open_with(db.clone(), 2, &settings).await
}

/// A draw with a beacon that three people entered, at its close.
async fn awaiting(office: &Office, concert: &Concert) -> Vec<Person> {
    assert_eq!(announce(office, concert).await.json()["beacon"]["round"], ROUND);
    let people = office.crowd(3, "Early").await;
    eventually("three entries", async || {
        let entered = join_at_once(&people, concert).await;
        let n_in = count(&entered, 201, "") + count(&entered, 409, "token-already-issued");
        if n_in == 3 { Ok(()) } else { Err(entered[0].body.clone()) }
    })
    .await;
    open_now(&office.db, concert).await;
    draw_at(office, concert, "CLOSED").await;
    people
}

#[sqlx::test]
async fn a_draw_waits_for_its_beacon_and_believes_only_its_chain(db: PgPool) {
    let relay = StandInRelay::open().await;
    let concert = Concert::with(&db, coming()).await;
    let office = office_with(&db, &concert, &relay).await;
    let people = awaiting(&office, &concert).await;
    let late = office.sign_in("late").await;
    let joined = join(&late, &concert).await.json();
    assert_eq!((&joined["queue_number"], &joined["ahead"]), (&4.into(), &Value::Null));
    let page = late.visit(&draw_path_of(&concert)).await;
    assert!(page.body.contains("waiting for the beacon"), "{}", page.body);

    let mut other = hex::decode(SIGNATURE).unwrap();
    other[47] ^= 1;
    // Round 1 of the same chain, and what is no signature at all.
    let round_1 = "b55e7cb2d5c613ee0b2e28d6750aabbb78c39dcc96bd9d38c2c2e12198df95571de8e8e402a0cc48871c7089a2b3af4b";
    let wrong = [&hex::encode(other), round_1, "", "zz", &SIGNATURE[2..]];
    for signature in wrong {
        relay.tell(&round_with(signature)).await;
    }
    relay.tell("no JSON").await;
    relay.tell(&" ".repeat(1_000_000)).await;
    let draw = draw_at(&office, &concert, "CLOSED").await;
    assert_eq!((&draw["seed"], &draw["beacon"]["signature"]), (&Value::Null, &Value::Null));
    assert_eq!(late.get(&queue_path_of(&concert)).await.json()["status"], "WAITING");
    office.verify().await;

    relay.answer.send_replace(http("200 OK", &round_with(SIGNATURE)));
    let draw = draw_at(&office, &concert, "DRAWN").await;
    assert_eq!(draw["beacon"]["signature"], SIGNATURE);
    let list = list_of(&office, &concert, &draw).await;
    let check = |draw: &Value| check_draw(&draw.to_string(), &list, None);
    assert_eq!(check(&draw).unwrap().beacon, BeaconPart::Verified { round: ROUND });
    let mut tampered = draw.clone();
    tampered["beacon"]["signature"] = round_1.into();
    assert_eq!(check(&tampered), Err(DrawFault::Beacon));
    tampered["beacon"]["signature"] = Value::Null;
    assert_eq!(check(&tampered), Err(DrawFault::LeftOut), "without a reason");
    let mut early = draw.clone();
    early["opens_at"] = "2999-01-01T00:00:00Z".into();
    assert_eq!(check(&early), Err(DrawFault::EarlyRound));
    let mut without = draw.clone();
    without["beacon"] = Value::Null;
    let entry = entry_of(&people[0], &concert).await.to_string();
    let order_of = |draw: &Value| check_draw(&draw.to_string(), &list, Some(&entry));
    assert!(order_of(&draw).is_ok());
    // Without the randomness the order is another, unless the first of six orders comes again.
    let others = [&without].map(|draw| order_of(draw).map(|checked| checked.beacon));
    assert_ne!(others[0], Ok(BeaconPart::Verified { round: ROUND }));
    office.close().await;
}

#[sqlx::test]
async fn a_beacon_that_does_not_come_in_an_hour_may_be_left_out_in_public(db: PgPool) {
    let relay = StandInRelay::open().await;
    let concert = Concert::with(&db, coming()).await;
    let office = office_with(&db, &concert, &relay).await;
    let people = awaiting(&office, &concert).await;
    let admin = office.employ("boss", "ADMIN").await;
    let path = format!("/admin/programs/{}/queue", concert.program_id);
    let omission = format!("{path}/draw/beacon-omission");
    let form = [("reason", "drand is away")];
    assert_eq!(admin.post(&omission, &form).await.code(), "beacon-awaited", "too early");
    assert!(admin.visit(&path).await.body.contains("Continue without the beacon"));
    // The wait is over.
    let waited = "set local session_replication_role = replica;
        update programs set on_sale_at = on_sale_at - interval '1 hour';
        update queue_draws set opens_at = opens_at - interval '1 hour',
            closed_at = closed_at - interval '1 hour'";
    let mut tx = db.begin().await.unwrap();
    raw_sql(waited).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(admin.post(&omission, &[("reason", "")]).await.status, 422, "in public");
    let done = admin.post(&omission, &form).await;
    assert_eq!(done.status, 200, "{}", done.body);

    let draw = draw_at(&office, &concert, "DRAWN").await;
    assert_eq!(draw["omission_reason"], "drand is away");
    for person in &people {
        number_of(person, &concert).await;
    }
    let list = list_of(&office, &concert, &draw).await;
    let checked = check_draw(&draw.to_string(), &list, None).unwrap();
    assert_eq!(checked.beacon, BeaconPart::LeftOut);
    let mut hasty = draw.clone();
    hasty["revealed_at"] = hasty["closed_at"].clone();
    let hasty = check_draw(&hasty.to_string(), &list, None);
    assert_eq!(hasty, Err(DrawFault::LeftOut), "before the hour was over");
    let page = office.stranger().visit(&draw_path_of(&concert)).await;
    assert!(page.body.contains("Reason: drand is away"), "{}", page.body);
    assert_eq!(admin.post(&omission, &form).await.code(), "beacon-awaited", "it is over");
    office.close().await;
}
