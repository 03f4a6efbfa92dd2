//! Calls of access gates: whose polls are recorded from then on.

use super::{OLD_RUN, Queue};

#[tokio::test]
async fn whoever_waits_is_called_up_with_its_note_and_nobody_else() {
    let queue = Queue::of(&["amy", "ben"]).await;
    queue.hold_clock(5_000).await;
    queue.put("seen", "ben", 4_200).await;
    assert_eq!(queue.call_up(&["amy", "nobody", "ben"]).await, [5_000, 0, 1, -5_000, 0, 4_200]);
    assert_eq!(queue.members("seen").await, ["amy", "ben"]);
    assert_eq!(queue.members("called").await, ["amy", "ben"]);
    let left_ms: i64 = queue.0.ask(&["PTTL", "called"]).await;
    assert!((1..=4_000).contains(&left_ms), "{left_ms}");
}

#[tokio::test]
async fn a_call_is_forgotten_after_two_graces() {
    let queue = Queue::of(&["amy", "ben"]).await;
    queue.put("called", "long ago", queue.0.now_ms().await - 2_000).await;
    queue.put("called", "lately", queue.0.now_ms().await + 60_000).await;
    queue.call_up(&["amy"]).await;
    let mut called = queue.members("called").await;
    called.sort();
    assert_eq!(called, ["amy", "lately"]);
}

#[tokio::test]
async fn a_queue_of_a_server_that_is_no_more_calls_nobody() {
    let queue = Queue::of(&["amy"]).await;
    queue.complete(OLD_RUN, 1).await;
    assert_eq!(queue.call_up(&["amy"]).await, [-1]);
    assert_eq!(queue.members("called").await, [""; 0]);
}

#[tokio::test]
async fn a_call_before_any_poll_says_that_nothing_was_heard() {
    let queue = Queue::of(&["amy"]).await;
    assert_eq!(queue.call_up(&["amy"]).await, [1, -1, 1, -1]);
}
