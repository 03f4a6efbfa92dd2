//! The clock of heard time: it stops a tenth of the grace after the last poll.

use super::Queue;

const GRACE_MS: i64 = 1_000;
const LONG_MS: i64 = 60_000;

/// Queue of one account, with a clock at 500 whose last poll was so long ago; negative: in the future.
async fn last_heard(ago_ms: i64) -> Queue {
    let queue = Queue::of(&["amy"]).await;
    queue.hear("heard", 500).await;
    queue.hear("last", queue.0.now_ms().await - ago_ms).await;
    queue.hear("resumed", 7).await;
    queue
}

#[tokio::test]
async fn the_first_poll_of_all_starts_the_clock() {
    let queue = Queue::of(&["amy"]).await;
    let from = queue.0.now_ms().await;
    queue.poll(GRACE_MS, &["amy"]).await;
    assert_eq!((queue.heard("heard").await, queue.heard("resumed").await), (Some(1), Some(1)));
    assert_eq!(queue.note_of("amy").await, Some(1));
    let last = queue.heard("last").await.unwrap();
    assert!((from..=queue.0.now_ms().await).contains(&last), "{last}");
}

#[tokio::test]
async fn a_silence_of_all_counts_as_a_tenth_of_the_grace_and_is_noted_as_an_outage() {
    let queue = last_heard(LONG_MS).await;
    queue.poll(GRACE_MS, &["amy"]).await;
    assert_eq!((queue.heard("heard").await, queue.heard("resumed").await), (Some(600), Some(600)));
    assert_eq!(queue.note_of("amy").await, Some(600));
}

#[tokio::test]
async fn a_silence_shorter_than_the_grace_is_no_outage() {
    let queue = last_heard(LONG_MS).await;
    queue.poll(100 * LONG_MS, &["amy"]).await;
    let heard = queue.heard("heard").await.unwrap();
    assert!((500 + LONG_MS..=500 + 10 * LONG_MS).contains(&heard), "{heard}");
    assert_eq!(queue.heard("resumed").await, Some(7));
}

#[tokio::test]
async fn a_clock_that_was_set_back_moves_nothing_and_is_followed() {
    let queue = last_heard(-LONG_MS).await;
    queue.poll(GRACE_MS, &["amy"]).await;
    assert_eq!((queue.heard("heard").await, queue.heard("resumed").await), (Some(500), Some(7)));
    let (last, now) = (queue.heard("last").await.unwrap(), queue.0.now_ms().await);
    assert!(last <= now, "{last} is after {now}");
}
