//! Tests of the server that answers a stale read, with pools that are never connected.

use std::{future::pending, io, sync::atomic::AtomicU32};

use super::{
    freshness::{LogPosition, LogTimeline},
    *,
};

/// Returns a reader with a standby that is fresh.
fn stale_reads() -> StaleReads {
    let pool = || Pool::new(PgConnectOptions::new(), 1).unwrap();
    let timeline = LogTimeline { system_id: 1, number: 1 };
    let mut freshness = Freshness::default();
    freshness.note_primary(Instant::now(), Some(LogPosition { timeline, position: 1 }));
    freshness.note_standby(StandbyAnswer::Replayed(LogPosition { timeline, position: 1 }));
    let freshness = Mutex::new(freshness);
    let standby = Standby { pool: pool(), freshness, was_fresh: AtomicBool::default() };
    StaleReads { primary: pool(), standby: Some(Arc::new(standby)) }
}

/// Asks a question that the first server to be asked answers with `first`, and each other one with
/// 2.
async fn asked(
    reads: &StaleReads,
    first: impl AsyncFn() -> Result<u32, sqlx::Error>,
) -> (AnsweredBy, u32) {
    let n_asked = AtomicU32::new(0);
    let answer = reads.answer("test", |_| async {
        match n_asked.fetch_add(1, Ordering::Relaxed) {
            0 => first().await,
            _ => Ok(2),
        }
    });
    answer.await.unwrap()
}

#[tokio::test]
async fn a_fresh_standby_answers() {
    assert_eq!(asked(&stale_reads(), async || Ok(1)).await, (AnsweredBy::Standby, 1));
}

#[tokio::test]
async fn what_the_standby_refuses_is_put_to_the_primary() {
    let reads = stale_reads();
    let refused = asked(&reads, async || Err(sqlx::Error::RowNotFound)).await;
    assert_eq!(refused, (AnsweredBy::PrimaryAfterStandby, 2));
    assert_eq!(asked(&reads, async || Ok(1)).await.0, AnsweredBy::Standby, "it is used on");
}

#[tokio::test]
async fn a_standby_that_cannot_be_reached_is_left_until_it_answers_again() {
    let reads = stale_reads();
    let cut = async || Err(io::Error::from(io::ErrorKind::ConnectionReset).into());
    assert_eq!(asked(&reads, cut).await, (AnsweredBy::PrimaryAfterStandby, 2));
    assert_eq!(asked(&reads, async || Ok(1)).await, (AnsweredBy::PrimaryNotFresh, 1));
}

#[tokio::test]
async fn a_standby_that_keeps_somebody_waiting_is_waited_for_once_and_not_alone() {
    let reads = stale_reads();
    let frozen = asked(&reads, async || pending().await).await;
    assert_eq!(frozen, (AnsweredBy::PrimaryAfterStandby, 2));
    let next = asked(&reads, async || Ok(1)).await;
    assert_eq!(next, (AnsweredBy::PrimaryNotFresh, 1), "the next read of the same page");
}

#[tokio::test]
async fn what_the_standby_lacks_is_sought_at_the_primary() {
    let (reads, n_asked) = (stale_reads(), AtomicU32::new(0));
    let found = reads.find("test", |_| async {
        Ok((n_asked.fetch_add(1, Ordering::Relaxed) > 0).then_some("poster"))
    });
    assert_eq!(found.await.unwrap(), Some("poster"));
}
