//! SQL of a person's data.

use serde_json::Value;

use crate::{accounts::AccountId, infra::postgres::Pool};

/// Returns the data of an account, with at most `rows_max` rows of each list; `None` if the account
/// does not exist.
pub(crate) async fn find(
    db: &Pool,
    account_id: AccountId,
    rows_max: i64,
) -> Result<Option<Value>, sqlx::Error> {
    sqlx::query_file_scalar!("../../src/personal_data/personal_data.sql", account_id as _, rows_max)
        .fetch_optional(db)
        .await
}
