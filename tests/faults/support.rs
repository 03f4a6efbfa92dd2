//! What the integration tests have already.

pub(crate) use stagedoor_testing::{
    PrivateCluster, PrivateRedis, PrivateSentinels, eventually, free_port,
};
