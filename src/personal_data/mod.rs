//! Personal data: all stored data about a person, as one document for the person.
//!
//! # Invariants
//!
//! * The document has the data of the signed-in account only; of other people it has the name,
//!   where a transfer was made with them.
//! * It has no hash of a password or a token, and no secret of a payment provider.
//! * Each list has at most [`ROWS_MAX`] rows, the newest, and `more` says whether there are others.
//!
//! # Concurrency
//!
//! One statement reads all of it, so all parts are of one moment.

pub mod pages;
mod store;

use serde_json::{Map, Value, json};

use crate::{accounts::AccountId, infra::postgres::Pool};

/// Rows of one list.
const ROWS_MAX: usize = 5_000;

/// Returns the document of an account; `None` if it does not exist.
pub async fn find(db: &Pool, account_id: AccountId) -> Result<Option<Value>, sqlx::Error> {
    // One more than is shown, to learn whether there are more.
    let rows_max = i64::try_from(ROWS_MAX).unwrap_or(i64::MAX).saturating_add(1);
    let found = store::find(db, account_id, rows_max).await?;
    Ok(found.map(|document| bounded(document, ROWS_MAX)))
}

/// Replaces each list of the document by its first `rows_max` rows and whether there are more.
fn bounded(document: Value, rows_max: usize) -> Value {
    let Value::Object(parts) = document else { return document };
    let bounded = parts.into_iter().map(|(name, part)| match part {
        Value::Array(mut rows) => {
            let more = rows.len() > rows_max;
            rows.truncate(rows_max);
            (name, json!({ "rows": rows, "more": more }))
        }
        other => (name, other),
    });
    Value::Object(bounded.collect::<Map<String, Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let document = json!({ "account": { "name": "Ada" }, "few": [1, 2], "many": [1, 2, 3] });
        let expected = json!({
            "account": { "name": "Ada" },
            "few": { "rows": [1, 2], "more": false },
            "many": { "rows": [1, 2], "more": true },
        });
        assert_eq!(bounded(document, 2), expected);
    }
}
