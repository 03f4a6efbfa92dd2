//! The head of the queue: how deep it is read, and who is noted as entering the window.

use super::{Head, OLD_RUN, Queue};

const PEOPLE: [&str; 5] = ["amy", "ben", "cleo", "dora", "erik"];
/// Clock of heard time, and what is noted at entering.
const HEARD: i64 = 5_000;
const ENTERED: i64 = -HEARD;

/// Queue of five, with these notes.
async fn noted(notes: &[(&str, i64)]) -> Queue {
    let queue = Queue::of(&PEOPLE).await;
    queue.hold_clock(HEARD).await;
    for (account, note) in notes {
        queue.put("seen", account, *note).await;
    }
    queue
}

#[tokio::test]
async fn a_queue_of_a_server_that_is_no_more_has_no_head() {
    let queue = noted(&[]).await;
    queue.complete(OLD_RUN, 5).await;
    assert_eq!(queue.head::<Vec<i64>>(2, 10).await, [-1]);
    assert_eq!(queue.members("seen").await, [""; 0]);
}

#[tokio::test]
async fn the_head_ends_with_as_many_who_polled_lately_as_are_asked_for() {
    let queue = noted(&[("amy", HEARD - 1_000), ("ben", HEARD)]).await;
    let (heard, gap, resumed, behind, is_whole, accounts, notes): Head = queue.head(2, 10).await;
    assert_eq!((heard, gap, resumed, behind, is_whole), (HEARD, 0, 1, -1, 0));
    assert_eq!((accounts, notes), (vec!["amy".into(), "ben".into()], vec![4_000, 5_000]));
}

#[tokio::test]
async fn whoever_is_silent_or_only_entered_is_no_one_who_polled_lately() {
    let queue = noted(&[("amy", HEARD - 1_001), ("ben", -HEARD)]).await;
    let (.., is_whole, accounts, notes): Head = queue.head(2, 10).await;
    assert_eq!((is_whole, accounts.as_slice()), (1, PEOPLE.map(String::from).as_slice()));
    assert_eq!(notes, [3_999, ENTERED, ENTERED, ENTERED, ENTERED]);
}

#[tokio::test]
async fn whoever_only_entered_did_not_poll_lately_while_the_clock_is_young() {
    let queue = noted(&[]).await;
    queue.hold_clock(100).await;
    let (.., is_whole, accounts, _): Head = queue.head(2, 10).await;
    assert_eq!((is_whole, accounts.len()), (1, 5));
}

#[tokio::test]
async fn nobody_is_read_behind_the_window() {
    let queue = noted(&[]).await;
    let (.., is_whole, accounts, _): Head = queue.head(2, 3).await;
    assert_eq!(
        (is_whole, accounts.as_slice()),
        (1, PEOPLE[..3].iter().copied().map(String::from).collect::<Vec<_>>().as_slice())
    );
    assert_eq!(queue.members("seen").await.len(), 3);
    assert_eq!(queue.heard("entered_to").await, Some(3));
}

#[tokio::test]
async fn everybody_in_the_window_is_noted_as_entering_though_the_head_is_shorter() {
    let queue = noted(&[("amy", HEARD), ("ben", HEARD)]).await;
    let (.., is_whole, accounts, _): Head = queue.head(2, 10).await;
    assert_eq!((is_whole, accounts.len()), (0, 2));
    for (account, note) in [("amy", HEARD), ("ben", HEARD), ("cleo", ENTERED), ("erik", ENTERED)] {
        assert_eq!(queue.note_of(account).await, Some(note), "{account}");
    }
    assert_eq!(queue.heard("entered_to").await, Some(5));
}

#[tokio::test]
async fn whoever_returns_to_a_window_that_was_noted_is_noted_too() {
    let queue = noted(&[]).await;
    queue.hear("entered_to", 5).await;
    let (.., notes): Head = queue.head(5, 10).await;
    assert_eq!(notes, [ENTERED; 5]);
    assert_eq!(queue.note_of("amy").await, Some(ENTERED));
}

#[tokio::test]
async fn a_queue_that_nobody_has_polled_says_so() {
    let queue = Queue::of(&PEOPLE).await;
    let (heard, gap, ..): Head = queue.head(2, 10).await;
    assert_eq!((heard, gap), (1, -1));
}
