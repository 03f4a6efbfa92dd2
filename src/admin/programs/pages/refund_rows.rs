//! Refund terms in the form of a program: its six rows, a preset, or the one line of hours and percent.

use super::{
    form::ProgramForm,
    refund_terms::{PERCENT, RefundRow, TypedTerms},
};
use crate::{
    admin::pages::{NUMBER, number},
    catalog::{
        ProgramDetails, RefundTerms,
        programs::refund_terms::{Deadline, HOURS, Preset, STEPS_MAX, TermStep},
    },
    points::Points,
    web::form::{Field, Fields, Mistakes},
};

/// Unit of a row whose deadline is in hours.
const IN_HOURS: &str = "hours";

fn nth(fields: &Fields, idx: usize) -> Field {
    fields.0.get(idx).cloned().unwrap_or_default()
}

impl ProgramForm {
    /// Returns the form with the rows of the terms of a program.
    pub(super) fn with_refund(self, details: &ProgramDetails) -> Self {
        let line = TermStep {
            until: Deadline::Hours { hours: details.refund_until_hours },
            percent: details.refund_percent,
            fee: Points::ZERO,
        };
        let steps = match details.refund_terms.steps() {
            Some(steps) => steps,
            None if details.refund_percent > 0 => &[line],
            None => &[],
        };
        let rows: Vec<RefundRow> = steps.iter().map(RefundRow::of).collect();
        let column = |part: fn(&RefundRow) -> Field| Fields(rows.iter().map(part).collect());
        let free = details.refund_terms.free();
        Self {
            refund_step_percent: column(|row| row.percent.clone()),
            refund_step_fee: column(|row| row.fee.clone()),
            refund_step_count: column(|row| row.count.clone()),
            refund_step_unit: column(|row| {
                Field::of(if row.is_in_hours { IN_HOURS } else { "days" })
            }),
            refund_step_time: column(|row| row.time.clone()),
            refund_free_hours: free
                .map_or_else(Field::default, |free| Field::of(free.within_hours)),
            refund_free_days: free.map_or_else(Field::default, |free| Field::of(free.until_days)),
            ..self
        }
    }

    /// Returns the rows of the form; a line of hours and percent is the first of them.
    pub(crate) fn refund_rows(&self) -> Vec<RefundRow> {
        let columns = [
            &self.refund_step_percent,
            &self.refund_step_fee,
            &self.refund_step_count,
            &self.refund_step_time,
        ];
        let n_typed = columns.iter().map(|column| column.0.len()).max().unwrap_or_default();
        let row = |idx| RefundRow {
            percent: nth(&self.refund_step_percent, idx),
            fee: nth(&self.refund_step_fee, idx),
            count: nth(&self.refund_step_count, idx),
            is_in_hours: nth(&self.refund_step_unit, idx).text() == IN_HOURS,
            time: nth(&self.refund_step_time, idx),
        };
        let mut rows: Vec<_> = (0..n_typed.max(STEPS_MAX)).map(row).collect();
        if n_typed == 0
            && let Some(first) = rows.first_mut()
        {
            let (percent, count) = (self.refund_percent.clone(), self.refund_until_hours.clone());
            *first = RefundRow { percent, count, is_in_hours: true, ..RefundRow::default() };
        }
        rows
    }

    /// Reads the refund terms with the line beside them, in hours and percent; `None` where a mistake was noted.
    /// A line that is the one of the `stored` terms leaves them as they are: a client that does not know steps
    /// sends back what it was shown.
    pub(super) fn read_refund(
        &self,
        mistakes: &mut Mistakes,
        stored: Option<&ProgramDetails>,
    ) -> Option<(RefundTerms, i32, i32)> {
        if !self.refund_preset.is_empty() {
            let preset = self.refund_preset.parse::<Preset>();
            let preset = mistakes.note("refund_preset", "admin-refusal-refund-preset", preset);
            return preset.map(|preset| preset.terms().with_line());
        }
        if let Some(typed) = self.typed_terms() {
            return typed.read(mistakes).map(RefundTerms::with_line);
        }
        let hours = number(&self.refund_until_hours, &HOURS);
        let hours = mistakes.note("refund_until_hours", NUMBER, hours);
        let percent = number(&self.refund_percent, &PERCENT);
        let percent = mistakes.note("refund_percent", NUMBER, percent);
        let (hours, percent) = hours.zip(percent)?;
        let is_stored = |details: &&ProgramDetails| {
            (details.refund_until_hours, details.refund_percent) == (hours, percent)
        };
        let terms = stored.filter(is_stored).map(|details| details.refund_terms.clone());
        Some((terms.unwrap_or_default(), hours, percent))
    }

    /// Returns the steps that were sent, as a document or in rows; `None` if neither was.
    fn typed_terms(&self) -> Option<TypedTerms> {
        if let Some(typed) = &self.refund_terms {
            return Some(typed.clone());
        }
        if self.refund_step_percent.0.is_empty() && self.refund_step_count.0.is_empty() {
            return None;
        }
        let rows = self.refund_rows().into_iter().filter(|row| !row.is_empty());
        Some(TypedTerms {
            steps: rows.map(RefundRow::step).collect(),
            free_within_hours: self.refund_free_hours.clone(),
            free_until_days: self.refund_free_days.clone(),
        })
    }
}
