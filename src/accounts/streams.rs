//! Open event streams, counted per account.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::AccountId;
use crate::infra::limits::RateLimited;

/// Maximum number of event streams of one account at one instance, one per open tab.
const OF_ACCOUNT_MAX: usize = 8;
/// Retry delay of a refused stream, in seconds: a closed browser is noticed at the next heartbeat.
/// Its page polls until then.
const RETRY_AFTER_SECS: u64 = 15;

/// Event streams of one kind at one instance; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Streams(Arc<Mutex<HashMap<AccountId, usize>>>);

/// Event stream of an account, counted until it is dropped.
#[derive(Debug)]
pub struct OpenStream {
    streams: Streams,
    account_id: AccountId,
}

impl Streams {
    fn open_ones(&self) -> MutexGuard<'_, HashMap<AccountId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a stream of `account_id`; refused above `OF_ACCOUNT_MAX`.
    pub fn open(&self, account_id: AccountId) -> Result<OpenStream, RateLimited> {
        let mut open_ones = self.open_ones();
        let count = open_ones.entry(account_id).or_insert(0);
        if *count >= OF_ACCOUNT_MAX {
            return Err(RateLimited { retry_after_secs: RETRY_AFTER_SECS });
        }
        *count += 1;
        Ok(OpenStream { streams: self.clone(), account_id })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open_ones = self.streams.open_ones();
        if let Some(count) = open_ones.get_mut(&self.account_id) {
            *count -= 1;
            if *count == 0 {
                open_ones.remove(&self.account_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_account_has_so_many_and_the_others_do_not_notice() {
        let (streams, ada, bob) =
            (Streams::default(), AccountId(Uuid::new_v4()), AccountId(Uuid::new_v4()));
        let mut open: Vec<_> = (0..20).filter_map(|_| streams.open(ada).ok()).collect();
        assert_eq!(open.len(), OF_ACCOUNT_MAX);
        assert!(streams.open(bob).is_ok());
        drop(open.pop());
        assert!(streams.open(ada).is_ok());
        drop(open);
        assert!(streams.open_ones().is_empty(), "nothing is kept of whoever left");
    }
}
