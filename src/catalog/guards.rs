//! Rules of one program against hoarding; the line carries them out.

use serde::Serialize;

/// Which guards are on, and how strict they are. `None` is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Guards {
    /// How old an account must be to join, in minutes.
    pub account_age_mins: Option<i32>,
    /// How much work joining takes: 2 to the power of this many tries.
    pub proof_bits: Option<i32>,
    /// Accounts of one network that get a number.
    pub joins_per_address: Option<i32>,
    /// Holds that may end unpaid within the cool-down; set together with that.
    pub unpaid_holds_max: Option<i32>,
    /// How long somebody who let as many holds end unpaid neither joins nor holds, in minutes.
    pub cool_down_mins: Option<i32>,
}

impl Guards {
    /// How many unpaid holds keep out, and for how many minutes.
    pub fn cool_down(&self) -> Option<(i32, i32)> {
        self.unpaid_holds_max.zip(self.cool_down_mins)
    }
}
