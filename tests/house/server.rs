//! The program as its operators know it: asked to stop, and what it says meanwhile.

use reqwest::Method;
use sqlx::{Connection, PgConnection, PgPool};

use crate::support::{
    ChildInstance, Concert, Hold, Office, Purchase, admit, count, eventually, hold_places,
    read_one, read_one_with, run_sql_with, storm, until,
};

/// A statement that writes a new reservation waits for the first gate, one that changes a
/// reservation for the second. Nothing in the product knows of them.
struct Gates(PgConnection);

const NEW: i32 = 1;
const CHANGED: i32 = 2;

impl Gates {
    async fn shut(db: &PgPool) -> Self {
        sqlx::raw_sql(
            "create function wait_for_gate() returns trigger language plpgsql as $$ begin
                 while exists (
                     select from pg_locks join pg_database d on d.oid = database
                     where locktype = 'advisory' and d.datname = current_database()
                         and objid = tg_argv[0]::oid)
                 loop perform pg_sleep(0.005); end loop;
                 return null;
             end $$;
             create trigger new_gate after insert on reservations
                 for each row execute function wait_for_gate(1);
             create trigger changed_gate after update on reservations
                 for each row execute function wait_for_gate(2)",
        )
        .execute(db)
        .await
        .unwrap();
        let mut shut = PgConnection::connect_with(&db.connect_options()).await.unwrap();
        for gate in [NEW, CHANGED] {
            run_sql_with(&mut shut, "select pg_advisory_lock($1)", gate).await;
        }
        Self(shut)
    }

    async fn open(&mut self, gate: i32) {
        let open = sqlx::query("select pg_advisory_unlock($1)").bind(gate);
        open.execute(&mut self.0).await.unwrap();
    }

    /// Waits until so many stand before them.
    async fn reached(db: &PgPool, by: i64) {
        until("they come to the gates", async || {
            let waiting: i64 = read_one(
                db,
                "select count(*) from pg_stat_activity
                 where datname = current_database() and wait_event = 'PgSleep'",
            )
            .await;
            waiting == by
        })
        .await;
    }
}

/// The keys of locks that are held.
async fn locks(office: &Office) -> Vec<String> {
    // The instance that was stopped took its connection to Redis along.
    let redis = &office.app.redis;
    let leases = eventually("a list of leases", async || redis.list_keys("lease:", 100).await);
    let mut locks = leases.await;
    let fair = eventually("a list of fair locks", async || redis.list_keys("fair:", 100).await);
    locks.extend(fair.await.into_iter().filter(|key| key.ends_with(":holder")));
    locks
}

#[sqlx::test]
async fn a_stop_lets_requests_and_ticks_finish_and_gives_locks_back(db: PgPool) {
    let mut office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let (ada, bob) = (office.sign_in("ada").await, office.sign_in("bob").await);
    admit(&db, &concert, std::slice::from_ref(&ada)).await;
    office.leave().await;
    let lapsed = Hold { seat_ids: &concert.seat_ids[..1], ends_in_secs: -10, ..Hold::default() };
    let lapsed = lapsed.write(&db, &concert, bob.account_id).await;
    let mut gates = Gates::shut(&db).await;

    let mut child = ChildInstance::start(&office).await;
    // From now on most connections to the database live on the threads that serve HTTP.
    let looks = (0..16).map(|_| {
        let ada = child.moved(&ada);
        async move { ada.get("/wallet").await }
    });
    assert_eq!(count(&storm(looks).await, 200, ""), 16);
    let order = {
        let (ada, concert) = (child.moved(&ada), concert.clone());
        tokio::spawn(async move { hold_places(&ada, &concert, 2).await })
    };
    // The order, and the worker that ends the lapsed hold.
    Gates::reached(&db, 2).await;
    assert!(!locks(&office).await.is_empty());
    child.ask_to_stop().await;
    gates.open(NEW).await;
    let held = order.await.unwrap();
    assert_eq!(held.status, 201, "{}", held.body);
    gates.open(CHANGED).await;

    assert!(child.ended().await.success());
    let status: String =
        read_one_with(&db, "select status from reservations where id = $1", lapsed).await;
    assert_eq!(status, "EXPIRED", "the tick was cut off: {}", child.log());
    assert!(!child.log().contains("ERROR"), "{}", child.log());
    assert_eq!(locks(&office).await, Vec::<String>::new());
}

/// Load balancers hear of a stop before any connection is refused.
#[sqlx::test]
async fn an_instance_that_drains_is_not_ready_and_serves_on(db: PgPool) {
    let office = Office::open_with(db, 1, &[]).await;
    let mut child = ChildInstance::start_with(&office, &[("DRAIN_SECS", "60")]).await;
    let status = async |path: &str| {
        let url = format!("{}{path}", child.base);
        eventually("an answer", async || reqwest::get(&url).await).await.status().as_u16()
    };
    until("it is ready", async || status("/readyz").await == 200).await;
    child.terminate();
    until("it is not ready", async || status("/readyz").await == 503).await;
    assert_eq!(status("/").await, 200);
    assert_eq!(status("/healthz").await, 200);
    // A second signal ends the wait.
    child.ask_to_stop().await;
    assert!(child.ended().await.success());
    office.close().await;
}

/// A request that is served when the stop comes gets its answer, and no answer says that the office
/// is away.
#[sqlx::test]
async fn a_stop_in_the_middle_of_a_crowd_fails_no_request(db: PgPool) {
    let mut office = Office::open_with(db.clone(), 1, &[]).await;
    let people = office.crowd(24, "crowd").await;
    office.leave().await;
    let mut child = ChildInstance::start(&office).await;
    let charges = people.iter().map(|person| {
        let person = child.moved(person);
        tokio::spawn(async move {
            let mut answers = Vec::new();
            // Until the office is closed.
            for _ in 0..20_000 {
                let charge = person.asks(Method::POST, "/wallet/charges", "application/json");
                match charge.form(&[("amount", "1")]).send().await {
                    Ok(answer) => answers.push(answer.status().as_u16()),
                    Err(_) => break,
                }
            }
            answers
        })
    });
    let charges: Vec<_> = charges.collect();
    let charged = async || -> i64 {
        let count = sqlx::query_scalar("select count(*) from point_transactions");
        count.fetch_one(&db).await.unwrap()
    };
    until("many charges", async || charged().await >= 200).await;
    child.ask_to_stop().await;
    assert!(child.ended().await.success());
    let mut acknowledged = 0;
    for answers in charges {
        for status in answers.await.unwrap() {
            assert!([201, 429].contains(&status), "{status}: {}", child.log());
            acknowledged += i64::from(status == 201);
        }
    }
    assert!(acknowledged <= charged().await, "{acknowledged} were told that they were done");
    assert!(!child.log().contains("ERROR"), "{}", child.log());
}

/// Every line of the log is one event, says whose request it belongs to, and keeps what
/// opens a door to itself.
#[sqlx::test]
async fn the_log_knows_requests_and_accounts_and_no_secrets(db: PgPool) {
    const PASSWORD: &str = "swordfish swordfish";
    let mut office = Office::open_with(db.clone(), 1, &[]).await;
    let concert = Concert::usual(&db).await;
    let (ada, stranger) = (office.sign_in("ada").await, office.stranger());
    let hold = Hold { seat_ids: &concert.seat_ids[..1], ..Hold::default() };
    let bought = Purchase::make(&db, &concert, &ada, hold).await;
    office.leave().await;
    for format in ["json", "text"] {
        let settings = [("LOG", "debug"), ("LOG_FORMAT", format)];
        let mut child = ChildInstance::start_with(&office, &settings).await;
        let (ada, stranger) = (child.moved(&ada), child.moved(&stranger));
        let log_in = [("email", "nobody@example.com\nERROR forged"), ("password", PASSWORD)];
        assert_eq!(stranger.post("/login", &log_in).await.status, 401);
        assert_eq!(stranger.visit("/%0AERROR%20forged?a=%0AERROR%20forged").await.status, 404);
        let ticket = ada.visit(&format!("/tickets/{}", bought.codes[0])).await;
        assert_eq!(ticket.status, 200);
        child.ask_to_stop().await;
        assert!(child.ended().await.success());

        let log = child.log();
        let secrets = [PASSWORD, &bought.codes[0], &ada.cookie("session").unwrap()];
        for secret in secrets {
            assert!(!log.contains(secret), "{secret}: {log}");
        }
        assert!(!log.lines().any(|line| line.starts_with("ERROR")), "{log}");
        let (request_id, account_id) = (ticket.header("x-request-id"), ada.account_id.to_string());
        let told = [request_id, &account_id, "/tickets/{code}", "answered"];
        assert!(log.lines().any(|line| told.iter().all(|part| line.contains(part))), "{log}");
        if format == "json" {
            for line in log.lines() {
                let event: serde_json::Value = serde_json::from_str(line).unwrap();
                assert!(event["level"].is_string() && event["timestamp"].is_string(), "{line}");
            }
        }
    }
}
