//! Rebuilds of a queue: one at a time, each with a nonce that may lapse.

use super::{Batch, OLD_RUN, Queue};

const LEASE_MS: u64 = 600_000;

#[tokio::test]
async fn one_rebuild_runs_at_a_time_and_none_of_a_complete_queue() {
    let queue = Queue::empty().await;
    let (begun, nonce) = queue.begin("first", LEASE_MS).await;
    let nonce = nonce.unwrap();
    assert_eq!((begun, nonce.as_str()), (1, format!("{}:first", queue.0.run_id).as_str()));
    assert_eq!(queue.begin("second", LEASE_MS).await, (2, None));
    assert_eq!(queue.0.ask::<Option<String>>(&["GET", "nonce"]).await, Some(nonce.clone()));
    assert_eq!(queue.finish(&nonce, 7).await, 1);
    assert_eq!(queue.0.ask::<Option<String>>(&["GET", "nonce"]).await, None);
    assert_eq!(queue.begin("third", LEASE_MS).await, (0, None));
}

#[tokio::test]
async fn a_rebuild_begins_from_nothing() {
    let queue = Queue::empty().await;
    for set in ["waiting", "active", "seen"] {
        queue.put(set, "left over", 1).await;
    }
    queue.complete(OLD_RUN, 9).await;
    queue.hear("heard", 5).await;
    assert_eq!(queue.begin("first", LEASE_MS).await.0, 1);
    for key in ["waiting", "active", "seen", "epoch", "hearing"] {
        assert!(!queue.0.ask::<bool>(&["EXISTS", key]).await, "{key}");
    }
}

#[tokio::test]
async fn a_rebuild_of_which_nothing_is_heard_lapses_and_each_batch_renews_it() {
    let queue = Queue::empty().await;
    let nonce = queue.begin("first", 60_000).await.1.unwrap();
    let left_ms: u64 = queue.0.ask(&["PTTL", "nonce"]).await;
    assert!((1..=60_000).contains(&left_ms), "{left_ms}");
    let batch = Batch { nonce: &nonce, lease_ms: LEASE_MS, ..Batch::default() };
    assert_eq!(queue.write(batch).await, (0, 0, vec![]));
    let left_ms: u64 = queue.0.ask(&["PTTL", "nonce"]).await;
    assert!((60_001..=LEASE_MS).contains(&left_ms), "{left_ms}");
}

#[tokio::test]
async fn a_rebuild_that_was_overtaken_writes_and_finishes_nothing() {
    let queue = Queue::empty().await;
    let overtaken = queue.begin("first", LEASE_MS).await.1.unwrap();
    queue.0.ask::<()>(&["DEL", "nonce"]).await;
    let current = queue.begin("second", LEASE_MS).await.1.unwrap();
    let batch = Batch { waiting: &[(1, "amy")], lease_ms: LEASE_MS, ..Batch::default() };

    let late = Batch { nonce: &overtaken, ..batch };
    assert_eq!(queue.write(late).await, (-1, 0, vec![]));
    assert_eq!(queue.finish(&overtaken, 1).await, 0);
    assert_eq!(queue.members("waiting").await, [""; 0]);
    assert_eq!(queue.write(Batch { nonce: &current, ..batch }).await, (0, 0, vec![]));
    assert_eq!(queue.finish(&current, 1).await, 1);
    assert_eq!(queue.members("waiting").await, ["amy"]);
}

#[tokio::test]
async fn the_rebuild_of_a_server_that_is_no_more_hinders_nobody_and_writes_nothing() {
    let queue = Queue::empty().await;
    let old = format!("{OLD_RUN}:first");
    queue.0.ask::<()>(&["SET", "nonce", &old]).await;
    let batch = Batch { nonce: &old, waiting: &[(1, "amy")], ..Batch::default() };
    assert_eq!(queue.write(batch).await, (-1, 0, vec![]));
    assert_eq!(queue.finish(&old, 1).await, 0);
    assert_eq!(queue.begin("second", LEASE_MS).await.0, 1);
}

#[tokio::test]
async fn counts_are_those_of_a_complete_queue() {
    let queue = Queue::of(&["amy", "ben"]).await;
    queue.put("active", "cleo", 1).await;
    assert_eq!(queue.count().await, [2, 1]);
    queue.complete(OLD_RUN, 2).await;
    assert_eq!(queue.count().await, [-1]);
}

#[tokio::test]
async fn a_finished_rebuild_has_counted_its_numbers() {
    let queue = Queue::empty().await;
    let nonce = queue.begin("first", LEASE_MS).await.1.unwrap();
    let (from, done) = (queue.0.now_ms().await, queue.finish(&nonce, 7).await);
    let kept: (String, i64, i64) =
        queue.0.ask(&["HMGET", "epoch", "run", "counted_to", "since"]).await;
    assert_eq!((done, &kept.0, kept.1), (1, &queue.0.run_id, 7));
    assert!((from..=queue.0.now_ms().await).contains(&kept.2), "{kept:?}");
}
