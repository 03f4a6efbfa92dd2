//! Guards and how often each refused.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::network::NetworkTag;

/// Rule against hoarding; its name is the label of the metric.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    sqlx::Type,
    strum::IntoStaticStr,
    strum::VariantArray,
    JsonSchema,
)]
#[strum(serialize_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Guard {
    /// The account must be old enough.
    #[strum(serialize = "age")]
    AccountAge,
    /// The account's e-mail address must be confirmed.
    #[strum(serialize = "confirmed")]
    ConfirmedAddress,
    /// Joining takes a proof of work, or a wait.
    Proof,
    /// Accounts of one network get a limited number of queue numbers.
    Address,
    /// An account that let holds end unpaid may neither join nor hold for a while.
    #[strum(serialize = "cooling")]
    CoolDown,
}

/// Counts of one guard in one program.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Effect {
    /// Guard concerned.
    pub guard: Guard,
    /// Requests that the guard refused.
    pub refused: i64,
    /// Joins that the guard slowed down and let through.
    pub slowed: i64,
}

/// Data of a join that the batch decides on.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Network of the client.
    pub network: NetworkTag,
    /// Whether the account's address was confirmed when the request's session was read.
    pub is_address_confirmed: bool,
    /// Valid work, if it was sent.
    pub(crate) solved: Option<Solved>,
}

/// Proof of work that was checked.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// Moment at which the work was set, by the database's clock.
    pub set_at: DateTime<Utc>,
    /// Difficulty, in zero bits.
    pub bits: i32,
}
