//! Redis falls silent, or is made a replica.

use sqlx::PgPool;
use stagedoor::infra::{
    redis::{Redis, RedisAway},
    signals,
};

use crate::support::{Concert, ConcertOptions, Office, Person, PrivateRedis, SilentWire, until};

/// One person inside, and one who waits and knows how many are ahead.
pub(super) async fn with_a_queue(db: &PgPool, redis_url: &str) -> (Office, [Person; 2], String) {
    let office = Office::open_with(db.clone(), 1, &[("REDIS_URL", redis_url)]).await;
    let options = ConcertOptions { queue_capacity: Some(1), ..ConcertOptions::default() };
    let concert = Concert::with(db, options).await;
    let path = format!("/programs/{}/queue", concert.slug);
    let people: [Person; 2] = office.crowd(2, "Silent").await.try_into().unwrap();
    for person in &people {
        assert_eq!(person.post(&path, &()).await.status, 201);
    }
    until("admission", async || people[0].get(&path).await.json()["status"] == "ACTIVE").await;
    until_counted(&people[1], &path).await;
    (office, people, path)
}

pub(super) async fn until_counted(person: &Person, path: &str) {
    until("the line", async || person.get(path).await.json()["ahead"] == 0).await;
}

#[sqlx::test]
async fn a_redis_that_falls_silent_is_asked_over_new_connections(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let wire = SilentWire::to("127.0.0.1", redis.port).await;
    let (office, [_, waiting], path) = with_a_queue(&db, &wire.url()).await;
    for n_bytes in [0, 11, 500] {
        let before = wire.n_connections();
        wire.mute_after(n_bytes);
        until("noticing", async || {
            waiting.get(&path).await;
            wire.n_connections() > before
        })
        .await;
        until_counted(&waiting, &path).await;
    }
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_redis_that_was_made_a_replica_is_left_for_the_new_primary(db: PgPool) {
    let (old, new) = (PrivateRedis::start().await, PrivateRedis::start().await);
    let wire = SilentWire::to("127.0.0.1", old.port).await;
    let (office, [inside, waiting], path) = with_a_queue(&db, &wire.url()).await;
    // The address leads to the new primary; the old one still answers on what is open.
    wire.lead_to(new.port);
    old.run::<()>(&["REPLICAOF", "127.0.0.1", &new.port.to_string()]).await;
    until("the new primary", async || new.run::<u64>(&["DBSIZE"]).await > 0).await;
    until_counted(&waiting, &path).await;
    until("leaving", async || inside.delete(&path).await.status < 500).await;
    until("admission", async || waiting.get(&path).await.json()["status"] == "ACTIVE").await;
    office.close_as_it_is().await;
}

#[sqlx::test]
async fn a_redis_that_only_reads_is_away_and_comes_back(db: PgPool) {
    let redis = PrivateRedis::start().await;
    let wire = SilentWire::to("127.0.0.1", redis.port).await;
    let (office, [_, waiting], path) = with_a_queue(&db, &wire.url()).await;
    redis.run::<()>(&["REPLICAOF", "127.0.0.1", "1"]).await;
    until("noticing", async || waiting.get("/readyz").await.json()["redis"] == "away").await;
    until("saying so", async || waiting.get(&path).await.json()["ahead"].is_null()).await;
    redis.run::<()>(&["REPLICAOF", "NO", "ONE"]).await;
    until_counted(&waiting, &path).await;
    assert_eq!(waiting.get("/readyz").await.json()["redis"], "ready");
    office.close_as_it_is().await;
}

/// Commands that failed once each, as one after the other found its own link dead.
#[tokio::test(flavor = "multi_thread", worker_threads = 64)]
async fn threads_do_not_find_out_one_after_the_other() {
    const ASKED: usize = 256;
    // One for each silence, and some for a machine on which connecting takes long. A thread
    // that had to find out for itself costs one each: more than thirty were counted.
    const FAILED_ROUNDS_MAX: usize = 12;
    let redis = PrivateRedis::start().await;
    let wire = SilentWire::to("127.0.0.1", redis.port).await;
    let handle = Redis::open(&wire.url(), "test").unwrap();
    // How many were answered, and whether one of them failed and did not just rest.
    let ask = async |handle: &Redis| {
        let threads = (0..ASKED).map(|_| {
            let handle = handle.clone();
            tokio::spawn(async move { handle.query::<String>(&::redis::cmd("PING")).await })
        });
        let asked = futures_util::future::join_all(threads.collect::<Vec<_>>()).await;
        let asked: Vec<_> = asked.into_iter().map(Result::unwrap).collect();
        let has_failed = asked.iter().any(|asked| matches!(asked, Err(RedisAway::Failed(_))));
        (asked.iter().filter(|asked| asked.is_ok()).count(), has_failed)
    };
    until("asking", async || ask(&handle).await.0 == ASKED).await;
    let mut failed_rounds = 0;
    for _ in 0..3 {
        wire.mute();
        loop {
            let (answered, has_failed) = ask(&handle).await;
            failed_rounds += usize::from(has_failed);
            assert!(failed_rounds <= FAILED_ROUNDS_MAX, "{failed_rounds} rounds failed");
            if answered == ASKED {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

#[sqlx::test]
async fn who_listens_hears_again_after_a_silence(_db: PgPool) {
    let redis = PrivateRedis::start().await;
    let wire = SilentWire::to("127.0.0.1", redis.port).await;
    let through = Redis::open(&wire.url(), "test").unwrap();
    let direct = Redis::open(&redis.url(), "test").unwrap();
    let (heard, mut hears) = tokio::sync::watch::channel(0_u32);
    let _listener = signals::listen(&through, "news", move |_| heard.send_modify(|n| *n += 1));
    let mut told = async || {
        signals::publish(&direct, "news", "now").await;
        hears.has_changed().is_ok_and(|is_news| is_news) && {
            hears.borrow_and_update();
            true
        }
    };
    until("listening", async || told().await).await;
    wire.mute();
    until("listening again", async || wire.n_connections() > 1 && told().await).await;
}
