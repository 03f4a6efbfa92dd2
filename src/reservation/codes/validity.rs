//! Conditions for using a code: its time, its performance and its limits.

use chrono::{DateTime, Utc};

use super::{error::CodeRefusal, model::SaleCode};
use crate::catalog::ScheduleId;

impl SaleCode {
    /// Refuses a hold that begins at `moment`, unless the code is valid then, is for that
    /// performance, and has a use left.
    pub(crate) fn require_usable(
        &self,
        moment: DateTime<Utc>,
        schedule_id: ScheduleId,
    ) -> Result<(), CodeRefusal> {
        self.require_valid(moment)?;
        self.require_for(schedule_id)?;
        self.require_use_left()
    }

    /// Refuses a code that is withdrawn, or not valid at `moment`.
    pub(crate) fn require_valid(&self, moment: DateTime<Utc>) -> Result<(), CodeRefusal> {
        if self.withdrawn_at.is_some() {
            return Err(CodeRefusal::Unknown);
        }
        if let Some(valid_from) = self.valid_from.filter(|from| moment < *from) {
            return Err(CodeRefusal::NotYet { valid_from });
        }
        match self.valid_until.is_some_and(|until| moment >= until) {
            true => Err(CodeRefusal::Over),
            false => Ok(()),
        }
    }

    /// Refuses a code of another performance.
    pub(crate) fn require_for(&self, schedule_id: ScheduleId) -> Result<(), CodeRefusal> {
        match self.schedule_id.is_none_or(|id| id == schedule_id) {
            true => Ok(()),
            false => Err(CodeRefusal::Elsewhere),
        }
    }

    /// Refuses a code with no use left, or with no place left.
    pub(crate) fn require_use_left(&self) -> Result<(), CodeRefusal> {
        match self.uses_max {
            Some(uses_max) if self.uses >= uses_max => Err(CodeRefusal::UsedUp { id: self.id }),
            _ => self.require_places_left(1),
        }
    }

    /// Refuses `places` if the limit of the code leaves fewer.
    pub(crate) fn require_places_left(&self, places: i32) -> Result<(), CodeRefusal> {
        match self.places_left() {
            Some(..=0) if places > 0 => Err(CodeRefusal::UsedUp { id: self.id }),
            Some(places_left) if places_left < places => {
                Err(CodeRefusal::FewPlaces { id: self.id, places_left })
            }
            _ => Ok(()),
        }
    }
}
