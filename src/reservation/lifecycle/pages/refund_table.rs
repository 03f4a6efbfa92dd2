//! Refund terms of an order as people read them: a table with the step that holds now marked.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    points::Points,
    reservation::{
        model::Reservation,
        refund_steps::{RefundStep, RefundSteps},
    },
    text::times,
    web::page::View,
};

/// Line of a table of terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundLine {
    /// Until when, in words.
    pub until: String,
    /// What comes back, in words.
    pub gives: String,
    /// Whether it is the step that holds now.
    pub is_now: bool,
    /// Whether its time has passed.
    pub is_over: bool,
}

/// When a table of terms is read.
#[derive(Clone, Copy, Debug)]
pub struct RefundMoment {
    /// The present time.
    pub now: DateTime<Utc>,
    /// Whether the order is paid.
    pub is_paid: bool,
    /// Whether everything is refunded now, whatever was agreed.
    pub is_full: bool,
}

impl RefundSteps {
    /// Lists the lines of a table, on the clock of `zone`; none if a sentence says all, or nothing comes back.
    /// Hours after the payment that have passed are left out.
    pub fn lines(&self, v: &View, zone: &str, at: RefundMoment) -> Vec<RefundLine> {
        if self.only().is_some() {
            return Vec::new();
        }
        let current = self.at(at.now).filter(|_| !at.is_full);
        let is_over = |step: &RefundStep| step.until <= at.now;
        let shown = self
            .0
            .iter()
            .filter(|step| step.percent > 0 && !(is_over(step) && step.within_hours.is_some()));
        shown
            .map(|step| RefundLine {
                until: step.until_in_words(v, zone, at.is_paid),
                gives: step.in_words(v),
                is_now: current == Some(step),
                is_over: is_over(step),
            })
            .collect()
    }
}

impl RefundStep {
    fn in_words(&self, v: &View) -> String {
        match self.fee {
            Points::ZERO => v.t("refund-terms-percent").number("percent", self.percent).to_string(),
            fee => {
                let text = v.t("refund-terms-less").number("percent", self.percent);
                text.word("amount", v.price(fee)).to_string()
            }
        }
    }

    fn until_in_words(&self, v: &View, zone: &str, is_paid: bool) -> String {
        match (self.within_hours, self.latest) {
            (Some(hours), Some(latest)) if !is_paid => {
                let text = v.t("refund-terms-within").number("hours", hours);
                text.word("when", end_in_words(v, latest, zone)).to_string()
            }
            _ => end_in_words(v, self.until, zone),
        }
    }
}

impl Reservation {
    /// Lists the lines of the table of its refund terms, on the clock of `zone`; none if a sentence says all of them.
    pub fn refund_lines(&self, v: &View, zone: &str, now: DateTime<Utc>) -> Vec<RefundLine> {
        let (is_paid, is_full) = (self.settled_at.is_some(), self.full_refund_at(now).is_some());
        self.refund_steps.lines(v, zone, RefundMoment { now, is_paid, is_full })
    }
}

/// Formats a deadline; midnight is the end of the day before.
fn end_in_words(v: &View, until: DateTime<Utc>, zone: &str) -> String {
    let tz = times::zone(zone);
    let last = until - TimeDelta::seconds(1);
    let day = last.with_timezone(&tz).date_naive();
    if until.with_timezone(&tz).date_naive() == day {
        return v.moment(&until, zone);
    }
    let text = v.t("refund-terms-end-of-day").word("day", times::short_day(day, v.locale));
    text.word("zone", times::zone_name(last, tz)).to_string()
}
