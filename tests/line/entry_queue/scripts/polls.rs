//! Polls: what each account learns, and whose polls are recorded.

use super::{OLD_RUN, Queue};

const GRACE_MS: i64 = 1_000;

#[tokio::test]
async fn each_account_is_told_its_number_and_how_many_are_ahead() {
    let queue = Queue::of(&["amy", "ben"]).await;
    queue.put("waiting", "cleo", 9).await;
    queue.put("active", "dora", 99).await;
    let told = queue.poll(GRACE_MS, &["ben", "dora", "cleo", "nobody"]).await;
    assert_eq!(told, [3, 1, 2, 1, 2, 0, 0, 1, 9, -1, 0, 0, 0]);
}

#[tokio::test]
async fn a_queue_of_a_server_that_is_no_more_tells_nothing_and_records_nothing() {
    let queue = Queue::of(&["amy"]).await;
    queue.complete(OLD_RUN, 1).await;
    assert_eq!(queue.poll(GRACE_MS, &["amy"]).await, [-1]);
    assert_eq!(queue.poll_as(GRACE_MS, &["amy"], "").await, [-1]);
    assert_eq!(queue.note_of("amy").await, None);
}

#[tokio::test]
async fn a_call_without_the_run_id_is_answered_too() {
    let queue = Queue::of(&["amy"]).await;
    assert_eq!(queue.poll_as(GRACE_MS, &["amy"], "").await, [1, 1, 1, 0]);
}

#[tokio::test]
async fn polls_are_recorded_in_the_window_and_of_accounts_that_were_called_up() {
    let queue = Queue::of(&["amy", "ben", "cleo", "dora"]).await;
    queue.put("called", "dora", 1).await;
    queue.hold_clock(5_000).await;
    queue.poll(GRACE_MS, &["amy", "ben", "cleo", "dora"]).await;
    assert_eq!(queue.members("seen").await, ["amy", "ben", "dora"]);
    assert_eq!(queue.note_of("dora").await, Some(5_000));
}

#[tokio::test]
async fn whoever_polls_behind_the_window_loses_the_old_note() {
    let queue = Queue::of(&["amy", "ben", "cleo"]).await;
    queue.put("seen", "cleo", 1).await;
    queue.poll(GRACE_MS, &["cleo"]).await;
    assert_eq!(queue.note_of("cleo").await, None);
}

#[tokio::test]
async fn polls_from_behind_the_window_are_noted_once_a_second() {
    for (behind, noted) in [(None, 5_000), (Some(4_000), 5_000), (Some(4_001), 4_001)] {
        let queue = Queue::of(&["amy", "ben", "cleo"]).await;
        queue.hold_clock(5_000).await;
        if let Some(behind) = behind {
            queue.hear("behind", behind).await;
        }
        queue.poll(GRACE_MS, &["cleo"]).await;
        assert_eq!(queue.heard("behind").await, Some(noted));
    }
    let queue = Queue::of(&["amy", "ben"]).await;
    queue.poll(GRACE_MS, &["ben"]).await;
    assert_eq!(queue.heard("behind").await, None);
}
