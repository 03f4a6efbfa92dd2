//! What keeps `verify` from being run.

use sqlx::PgPool;
use stagedoor::{
    infra::{
        postgres::{Pool, migrate},
        redis::Redis,
    },
    verify::{VerifyError, verify},
};

use crate::support::{empty, pool};

#[sqlx::test(migrations = false)]
async fn what_cannot_be_verified_is_told_in_a_sentence(db: PgPool) {
    empty(&db).await;
    let redis = Redis::open("redis://127.0.0.1:1", "nowhere").unwrap();
    let ours = pool(&db, 1);
    let refused = verify(&ours, &redis).await.unwrap_err();
    assert!(matches!(refused, VerifyError::NotMigrated), "{refused}");

    migrate(&ours).await.unwrap();
    let refused = verify(&ours, &redis).await.unwrap_err();
    assert!(matches!(refused, VerifyError::RedisAway(_)), "{refused}");

    let options = db.connect_options().as_ref().clone().port(1);
    let refused = verify(&Pool::new(options, 1).unwrap(), &redis).await.unwrap_err();
    assert!(matches!(refused, VerifyError::Unreachable(_)), "{refused}");
}
