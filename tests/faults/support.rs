//! What the integration tests have already.
#![expect(clippy::unwrap_used, reason = "a try that cannot go on has failed")]
#![expect(dead_code, reason = "the integration tests use more of it")]

#[path = "../it/support/private_redis.rs"]
mod private_redis;
#[path = "../it/support/private_sentinels.rs"]
mod private_sentinels;
#[path = "../it/support/wait.rs"]
mod wait;

pub(crate) use private_redis::{PrivateCluster, PrivateRedis, free_port};
pub(crate) use private_sentinels::PrivateSentinels;
pub(crate) use wait::eventually;
