//! Transactions that lose a race are run again.

use std::time::Duration;

/// Attempts of a transaction that loses races, before its caller gets an error.
pub const ATTEMPTS_MAX: u32 = 10;

/// Error that distinguishes a lost race from a real refusal.
pub trait Contention {
    /// Whether another attempt may succeed: a version moved, a deadlock was broken.
    fn is_stale(&self) -> bool;
    /// Returns the error for exhausted attempts.
    fn contended() -> Self;
}

/// Runs `attempt` until it wins its race, at most [`ATTEMPTS_MAX`] times; its argument is the
/// number of races lost so far.
///
/// Each attempt must open and finish its own transaction, so that a stale read rolls back all it
/// did. The pause doubles and is jittered, so that two writers that collided once do not collide in
/// step.
///
/// The parameter is an `FnMut() -> F` because the future of an `async ||` that borrows cannot be
/// proven `Send`, and workers spawn this.
pub async fn retry_stale<T, E, F>(mut attempt: impl FnMut(u32) -> F) -> Result<T, E>
where
    E: Contention,
    F: Future<Output = Result<T, E>>,
{
    const PAUSE_MS_FIRST: u64 = 4;
    const DOUBLINGS_MAX: u32 = 5;
    for n_lost in 0..ATTEMPTS_MAX {
        match attempt(n_lost).await {
            Err(error) if error.is_stale() => {
                let pause_ms_max = PAUSE_MS_FIRST << n_lost.min(DOUBLINGS_MAX);
                let pause_ms = rand::random_range(0..pause_ms_max);
                metrics::counter!("stagedoor_retries_total").increment(1);
                tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            }
            outcome => return outcome,
        }
    }
    Err(E::contended())
}
