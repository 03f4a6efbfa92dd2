//! Settings of a queue as one transaction reads them, and what they allow at that moment.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use super::model::Bucket;
use crate::catalog::{DatesLeft, DrawStep, Guards, ProgramStatus, SaleState};

/// Tokens admitted in one transaction.
pub(crate) const ADMITTED_MAX: usize = 1_000;

/// Settings of one program's queue, read at the database's moment `now`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Rules {
    pub status: ProgramStatus,
    pub dates_left: DatesLeft,
    pub on_sale_at: DateTime<Utc>,
    pub off_sale_at: DateTime<Utc>,
    pub capacity: Option<i32>,
    pub rate_per_second: Option<i32>,
    pub is_paused: bool,
    pub stay_secs: i32,
    pub join_account_age_mins: Option<i32>,
    pub join_confirmed_address: bool,
    pub join_proof_bits: Option<i32>,
    pub joins_per_address: Option<i32>,
    pub unpaid_holds_max: Option<i32>,
    pub cool_down_mins: Option<i32>,
    /// Step of the draw that the sale opens with; `None`: there is none.
    pub draw: Option<DrawStep>,
    /// Whether it has access gates.
    pub(crate) has_access_gates: bool,
    pub now: DateTime<Utc>,
}

impl Rules {
    /// Returns the state of the sale at `now`.
    pub(crate) fn sale(&self) -> SaleState {
        match self.status {
            ProgramStatus::Published => {
                SaleState::of(self.dates_left, self.on_sale_at, self.off_sale_at, self.now)
            }
            _ => SaleState::Cancelled,
        }
    }

    /// Returns the guards that apply to joins and holds.
    pub(crate) fn guards(&self) -> Guards {
        Guards {
            account_age_mins: self.join_account_age_mins,
            confirmed_address: self.join_confirmed_address,
            proof_bits: self.join_proof_bits,
            joins_per_address: self.joins_per_address,
            unpaid_holds_max: self.unpaid_holds_max,
            cool_down_mins: self.cool_down_mins,
        }
    }

    /// Whether the gate admits: the sale is open, the queue is not paused and its numbers are drawn.
    pub(crate) fn admits(&self) -> bool {
        let is_drawn = self.draw.is_none_or(|step| step == DrawStep::Drawn);
        self.sale() == SaleState::Open && !self.is_paused && is_drawn
    }

    /// Whether the entries of the draw should be closed: the sale has opened.
    pub(crate) fn is_close_due(&self) -> bool {
        let has_opened = self.status == ProgramStatus::Published && self.now >= self.on_sale_at;
        self.draw == Some(DrawStep::Open) && has_opened
    }

    /// Returns how many tokens may be admitted at `now` beside `n_inside` admitted ones, with as many
    /// admissions as `bucket` allows; `None`: no rate limits them.
    pub(crate) fn room(&self, n_inside: i64, bucket: Option<Bucket>) -> usize {
        if !self.admits() {
            return 0;
        }
        let by_capacity = self.capacity.map_or(ADMITTED_MAX, |capacity| {
            usize::try_from(i64::from(capacity) - n_inside).unwrap_or(0)
        });
        by_capacity.min(bucket.map_or(ADMITTED_MAX, Bucket::whole))
    }

    /// Whether present accounts are admitted at once: neither capacity nor rate limits admission.
    pub(crate) fn is_open_door(&self) -> bool {
        self.admits() && self.capacity.is_none() && self.rate_per_second.is_none()
    }

    /// Returns the end of a stay that begins at `now`.
    pub(crate) fn stay_ends_at(&self) -> DateTime<Utc> {
        self.now + TimeDelta::seconds(i64::from(self.stay_secs))
    }
}
