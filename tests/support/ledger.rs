//! Reads of wallets and their histories, and the verifier's result.

use sqlx::PgPool;
use stagedoor::verify;
use uuid::Uuid;

use super::{Office, read_one_with};

/// Returns every violation as a sentence.
pub async fn violations(office: &Office) -> Vec<String> {
    let found = verify::verify(&office.app.db, &office.app.redis).await.unwrap();
    found.into_iter().map(|violation| violation.to_string()).collect()
}

/// Returns the balance in the wallet row of an account; 0 without one.
pub async fn balance(db: &PgPool, account_id: Uuid) -> i64 {
    read_one_with(
        db,
        "select coalesce(sum(balance), 0)::bigint from wallets where account_id = $1",
        account_id,
    )
    .await
}

/// Counts the history entries of a kind of an account.
pub async fn entries(db: &PgPool, account_id: Uuid, kind: &str) -> i64 {
    sqlx::query_scalar(
        "select count(*) from point_transactions t join wallets w on w.id = t.wallet_id
         where w.account_id = $1 and t.kind = $2",
    )
    .bind(account_id)
    .bind(kind)
    .fetch_one(db)
    .await
    .unwrap()
}
