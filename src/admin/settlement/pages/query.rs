//! Query of a settlement, which its pages and files have in common.

use chrono::{Datelike, Days, NaiveDate};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::settlement::model::{DAYS_MAX, Period},
    app::App,
    catalog::ProgramId,
    text::times,
    web::form::{Field, Mistakes},
};

/// Query of a settlement.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SettlementQuery {
    /// First day, `YYYY-MM-DD`; empty: the first of this month, or for a show a year ago.
    first: Field,
    /// Last day, `YYYY-MM-DD`, at most 366 days with the first; empty: today.
    last: Field,
    /// Show; empty: all.
    program_id: Field,
}

impl SettlementQuery {
    /// Creates the query of a period across shows.
    pub(in crate::admin::settlement) fn of_period(first: Field, last: Field) -> Self {
        Self { first, last, program_id: Field::default() }
    }

    pub(in crate::admin::settlement) fn parse(
        &self,
        today: NaiveDate,
    ) -> Result<(Option<ProgramId>, Period), Mistakes> {
        let mut mistakes = Mistakes::default();
        let program_id: Option<Option<ProgramId>> = match self.program_id.is_empty() {
            true => Some(None),
            false => {
                mistakes.note("program_id", "payout-refusal-of", self.program_id.parse()).map(Some)
            }
        };
        let earliest = match program_id.flatten() {
            Some(_) => today - Days::new(DAYS_MAX - 1),
            None => today.with_day(1).unwrap_or(today),
        };
        let mut day = |name, field: &Field, or: NaiveDate| match field.is_empty() {
            true => Some(or),
            false => {
                mistakes.note(name, "admin-refusal-day", field.parse().filter(|day| is_known(*day)))
            }
        };
        let last = day("last", &self.last, today);
        let first = day("first", &self.first, earliest.min(last.unwrap_or(today)));
        let period = first.zip(last).and_then(|(first, last)| {
            let period = Period::new(first, last, times::home());
            mistakes.note("last", "admin-settlement-refusal-period", period)
        });
        mistakes.or(program_id.zip(period))
    }

    /// Parses the query of a file; returns it with the name of the file.
    pub(in crate::admin::settlement) fn parse_file(
        &self,
        app: &App,
    ) -> Result<((Option<ProgramId>, Period), String), Mistakes> {
        let of = self.parse(app.now().with_timezone(&times::home()).date_naive())?;
        Ok((of, format!("settlement-{}-{}", of.1.first, of.1.last)))
    }
}

/// Whether a day is one that PostgreSQL and a calendar of people know.
fn is_known(day: NaiveDate) -> bool {
    (1_900..3_000).contains(&day.year())
}
