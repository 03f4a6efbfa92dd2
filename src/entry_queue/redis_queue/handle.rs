//! Handle of one program's queue in Redis, and what its scripts share.

use std::time::Duration;

use uuid::Uuid;

use crate::{accounts::AccountId, catalog::ProgramId, infra::redis::Redis};

/// Longest pause of a rebuild between two batches before another rebuild may take over.
pub(super) const REBUILD_LEASE: Duration = Duration::from_secs(10);

/// Queue of one program in Redis.
#[derive(Clone, Debug)]
pub(crate) struct RedisQueue<'a> {
    pub(super) redis: &'a Redis,
    pub(super) program_id: ProgramId,
}

impl<'a> RedisQueue<'a> {
    pub(crate) fn of(redis: &'a Redis, program_id: ProgramId) -> Self {
        Self { redis, program_id }
    }

    pub(crate) fn key(&self, name: &str) -> String {
        self.redis.key(format_args!("{{{}}}:{name}", self.program_id))
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Members are the 16 bytes of the account's id: with a million accounts waiting, text would cost
/// 20 bytes more for each.
pub(super) fn account(bytes: &[u8]) -> Option<AccountId> {
    Uuid::from_slice(bytes).ok().map(AccountId)
}
