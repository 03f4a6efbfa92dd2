//! Seat plan form, as it is sent and shown again.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::AdminError,
    catalog::{CatalogError, SeatPlan},
    web::form::Field,
};

/// Seat plan form: a CSV as a file or as text, or a grid; the first non-empty one counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct PlanForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// CSV file of the seats.
    file: Field,
    /// The same as text.
    pub(crate) csv: Field,
    /// A grid instead: sections, rows, seats.
    pub(crate) grid: Field,
}

impl PlanForm {
    /// Returns the version and the plan; the mistake of the first line that has one.
    pub(crate) fn parse(&self) -> Result<(i64, SeatPlan), AdminError> {
        let version = self.version.parse().ok_or(CatalogError::Stale)?;
        let plan = if !self.file.is_empty() {
            SeatPlan::from_csv(self.file.text())
        } else if !self.csv.is_empty() {
            SeatPlan::from_csv(self.csv.text())
        } else {
            SeatPlan::from_grid(self.grid.text())
        };
        Ok((version, plan.map_err(CatalogError::from)?))
    }
}
