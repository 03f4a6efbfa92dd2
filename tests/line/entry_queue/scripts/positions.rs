//! Writes of positions: what a late batch may change, and what each kind leaves behind.

use super::{Batch, OLD_RUN, Queue};

/// Queue in which `amy` waits as number 1 and number 2 was removed, both counted.
async fn counted() -> Queue {
    let queue = Queue::of(&["amy"]).await;
    queue.complete(&queue.0.run_id, 2).await;
    queue
}

#[tokio::test]
async fn a_counted_number_that_is_gone_is_refused_and_one_that_stands_or_is_new_is_written() {
    let queue = counted().await;
    let batch = Batch { waiting: &[(1, "amy"), (2, "ben"), (3, "cleo")], ..Batch::default() };
    assert_eq!(queue.write(batch).await, (1, 2, vec!["ben".to_owned()]));
    assert_eq!(queue.members("waiting").await, ["amy", "cleo"]);
}

#[tokio::test]
async fn an_account_with_another_number_than_the_counted_one_is_refused() {
    let queue = counted().await;
    let batch = Batch { waiting: &[(2, "amy")], ..Batch::default() };
    assert_eq!(queue.write(batch).await, (1, 2, vec!["amy".to_owned()]));
    assert_eq!(queue.0.ask::<i64>(&["ZSCORE", "waiting", "amy"]).await, 1);
}

#[tokio::test]
async fn a_repair_writes_a_counted_number_that_is_gone() {
    let queue = counted().await;
    let batch = Batch { waiting: &[(2, "ben")], is_repair: true, ..Batch::default() };
    assert_eq!(queue.write(batch).await, (1, 2, vec![]));
    assert_eq!(queue.members("waiting").await, ["amy", "ben"]);
}

#[tokio::test]
async fn an_account_is_in_one_place_whatever_it_was_before() {
    let queue = Queue::of(&["amy", "ben", "cleo"]).await;
    queue.put("active", "dora", 9).await;
    queue.put("active", "erik", 9).await;
    for account in ["amy", "ben", "cleo"] {
        queue.put("seen", account, 1).await;
    }
    let batch = Batch {
        waiting: &[(4, "dora")],
        inside: &[(99, "ben")],
        gone: &["cleo", "erik"],
        ..Batch::default()
    };
    assert_eq!(queue.write(batch).await, (1, 3, vec![]));
    assert_eq!(queue.positions().await, [vec!["amy", "dora"], vec!["ben"], vec!["amy"]]);
    assert_eq!(queue.0.ask::<i64>(&["ZSCORE", "active", "ben"]).await, 99);
}

#[tokio::test]
async fn numbers_are_counted_without_a_gap() {
    for (covers, counted_to) in [((2, 5), 5), ((1, 5), 5), ((3, 5), 2), ((0, 1), 2), ((0, 0), 2)] {
        let queue = counted().await;
        let answer = queue.write(Batch { covers, ..Batch::default() }).await;
        assert_eq!(answer, (1, counted_to, vec![]), "{covers:?}");
        assert_eq!(queue.0.ask::<i64>(&["HGET", "epoch", "counted_to"]).await, counted_to);
    }
}

#[tokio::test]
async fn nothing_is_counted_or_refused_in_a_queue_of_a_server_that_is_no_more() {
    let queue = counted().await;
    queue.complete(OLD_RUN, 2).await;
    let batch = Batch { waiting: &[(2, "ben")], covers: (2, 5), ..Batch::default() };
    assert_eq!(queue.write(batch).await, (0, 0, vec![]));
    assert_eq!(queue.members("waiting").await, ["amy", "ben"]);
    assert_eq!(queue.0.ask::<i64>(&["HGET", "epoch", "counted_to"]).await, 2);
}
