//! Types of account management.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::model::{AccountId, Role};

/// Account as administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Profile {
    /// Account id.
    pub account_id: AccountId,
    /// Folded e-mail address.
    pub email: String,
    /// Owner's name.
    pub name: String,
    /// Current role.
    pub role: Role,
    /// Time of the lock; `None` while the account may sign in.
    pub locked_at: Option<DateTime<Utc>>,
    /// Time of the deletion; `None` for an account that was not deleted.
    pub deleted_at: Option<DateTime<Utc>>,
    /// Time of the sign-up.
    pub created_at: DateTime<Utc>,
}
