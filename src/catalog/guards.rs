//! Guards of one program against hoarding; the entry queue enforces them.

use schemars::JsonSchema;
use serde::Serialize;

/// Settings of the guards; `None` and `false` are off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Guards {
    /// Minimum age of an account that joins, in minutes.
    pub account_age_mins: Option<i32>,
    /// Whether an account that joins has confirmed its e-mail address.
    pub confirmed_address: bool,
    /// Proof of work for joining: 2 to the power of this many tries.
    pub proof_bits: Option<i32>,
    /// Bound on the accounts of one network that get a queue number.
    pub joins_per_address: Option<i32>,
    /// Unpaid holds within the cool-down that exclude an account; set together with
    /// `cool_down_mins`.
    pub unpaid_holds_max: Option<i32>,
    /// How long an excluded account may neither join nor hold, in minutes.
    pub cool_down_mins: Option<i32>,
}

impl Guards {
    /// Returns the unpaid holds that exclude, and for how many minutes; `None` if off.
    pub fn cool_down(&self) -> Option<(i32, i32)> {
        self.unpaid_holds_max.zip(self.cool_down_mins)
    }
}
