//! The primary behind sentinels dies, or is replaced while it lives.

use sqlx::PgPool;
use stagedoor::infra::redis::Redis;

use super::redis::{until_counted, with_a_queue};
use crate::support::{PrivateSentinels, until};

#[sqlx::test]
async fn a_primary_that_dies_is_followed_to_the_one_that_sentinels_name(db: PgPool) {
    let mut all = PrivateSentinels::start().await;
    let (office, [inside, waiting], path) = with_a_queue(&db, &all.url()).await;
    all.servers[0].kill();
    until_counted(&waiting, &path).await;
    until("leaving", async || inside.delete(&path).await.status < 500).await;
    until("admission", async || waiting.get(&path).await.json()["status"] == "ACTIVE").await;
    office.close_as_it_is().await;
}

#[tokio::test]
async fn a_primary_that_is_replaced_is_left_for_the_new_one() {
    let all = PrivateSentinels::start().await;
    let redis = Redis::open(&all.url(), "sentinels").unwrap();
    until("Redis", async || redis.is_present().await).await;
    // Replaced by hand, as before an upgrade: the old primary goes on as a replica.
    all.fail_over().await;
    until("the new primary", async || {
        redis.query::<()>(::redis::cmd("SET").arg(redis.key("mine")).arg(1)).await.is_ok()
            && all.servers[1].try_run(&["EXISTS", "sentinels:mine"]).await == Ok(1_u64)
    })
    .await;
}
