//! Repeated reads of state that is still moving.

use std::time::Duration;

/// Number of reads of moving state.
pub(super) const READS: u64 = 3;
/// Pause between two reads, in seconds.
pub(super) const PAUSE_SECS: u64 = 2;

/// Lists the rows that each of `reads` reads finds, with a pause before every read but the first;
/// ends early when none remain.
pub(super) async fn list_lasting<T: PartialEq, E>(
    reads: u64,
    mut read: impl AsyncFnMut() -> Result<Vec<T>, E>,
) -> Result<Vec<T>, E> {
    let mut lasting = read().await?;
    for _ in 1..reads {
        if lasting.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_secs(PAUSE_SECS)).await;
        let found = read().await?;
        lasting.retain(|item| found.contains(item));
    }
    Ok(lasting)
}
