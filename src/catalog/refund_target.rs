//! Where refunds go: into wallets, or back to the cards that paid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the money of a refund goes.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::EnumString,
    JsonSchema,
)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum RefundTarget {
    /// All of it becomes points of the payers' wallets.
    #[default]
    Wallet,
    /// What was bought with money goes back to the cards, and the rest becomes points.
    Card,
}
