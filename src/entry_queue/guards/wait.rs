//! Waits in place of work, for browsers that compute nothing for a page.
//!
//! Computing for a hundred accounts takes one processor a hundred times as long; waiting in
//! parallel would not. Therefore the waits of one network follow one another, and an account has
//! one wait for a program at a time.

use chrono::{DateTime, TimeDelta, Utc};

use super::{network::NetworkTag, proof::secs_of, store::waits as store};
use crate::{accounts::AccountId, app::App, catalog::ProgramId, entry_queue::error::QueueError};

/// Time after the end of a wait within which the account must join.
pub(crate) const GOOD_FOR: TimeDelta = TimeDelta::minutes(10);
/// Upper bound of how far the waits of one network reach into the future.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(15);

/// Begins a wait as long as work of `bits` takes, behind the waits of the same network, or finds
/// the account's running wait. Returns its end and the milliseconds until then.
pub async fn begin(
    app: &App,
    program_id: ProgramId,
    account_id: AccountId,
    network: NetworkTag,
    bits: i32,
) -> Result<(DateTime<Utc>, u64), QueueError> {
    let mut tx = app.db.begin().await?;
    let (now, last) = store::lock_waits(&mut tx, program_id, network).await?;
    if let Some(ready_at) = store::find_wait(&mut tx, program_id, account_id).await?
        && now < ready_at + GOOD_FOR
    {
        return Ok((ready_at, millis(ready_at - now)));
    }
    let first_free = last.map_or(now, |last| last.max(now));
    if first_free > now + AHEAD_MAX {
        let retry_after_secs = (first_free - now - AHEAD_MAX).num_seconds();
        let retry_after_secs = u64::try_from(retry_after_secs).unwrap_or(0) + 1;
        return Err(QueueError::WaitsFull { retry_after_secs });
    }
    store::delete_lapsed_waits(&mut tx, program_id, network, now - GOOD_FOR).await?;
    let ready_at = first_free + TimeDelta::seconds(secs_of(bits));
    store::write_wait(&mut tx, program_id, account_id, network, ready_at).await?;
    tx.commit().await?;
    Ok((ready_at, millis(ready_at - now)))
}

fn millis(left: TimeDelta) -> u64 {
    u64::try_from(left.num_milliseconds()).unwrap_or(0)
}
