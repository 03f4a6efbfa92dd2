//! Page of an account that waits in a queue.

use askama::Template;
use chrono::{DateTime, Utc};

use crate::{
    catalog::{DrawStep, Program},
    entry_queue::{
        estimate::{Accuracy, Wait},
        model::{QueueNumber, QueueState},
        turn_notices::NoticeOffer,
    },
    text::{i18n::Phrase, times},
    web::page::View,
};

/// Time to read a notice.
const READING_SECS: u64 = 8;

#[derive(Template)]
#[template(path = "entry_queue/waiting.html")]
pub(crate) struct WaitingPage<'a> {
    pub v: &'a View,
    pub program: &'a Program,
    pub state: &'a QueueState,
    pub wait: Option<Wait>,
    pub accuracy: Accuracy,
    pub is_back: bool,
    /// Number of performances whose free seats are added up.
    pub n_performances: usize,
    pub notice: NoticeOffer,
    /// Whether an access gate may admit the account before the accounts that are ahead of it.
    pub has_own_entrance: bool,
    pub now: DateTime<Utc>,
}

impl WaitingPage<'_> {
    fn number(&self) -> QueueNumber {
        self.state.queue_number.unwrap_or_default()
    }

    /// Whether the numbers before this one are being drawn.
    fn is_behind_draw(&self) -> bool {
        self.program.draw.is_some_and(DrawStep::is_drawing)
    }

    fn retry_after_ms(&self) -> u64 {
        self.state.retry_after_ms.unwrap_or_default()
    }

    /// Returns the seconds until the page reloads without JavaScript. A notice that is shown only
    /// once stays long enough to be read.
    fn refresh_secs(&self) -> u64 {
        let least = if self.is_back { READING_SECS } else { 0 };
        whole_secs(self.retry_after_ms()).max(least)
    }

    /// Whether the wait is unknown only because no stay has ended yet.
    fn is_first_awaited(&self) -> bool {
        self.wait.is_none() && self.is_counted() && !self.state.is_paused
    }

    fn is_counted(&self) -> bool {
        self.state.ahead.is_some()
    }

    fn ahead(&self) -> u64 {
        self.state.ahead.unwrap_or_default()
    }

    fn behind(&self) -> u64 {
        self.state.waiting.unwrap_or_default().saturating_sub(self.ahead() + 1)
    }

    /// Whether more people are ahead than seats are free.
    fn is_scarce(&self) -> bool {
        self.state.ahead.is_some_and(|ahead| ahead > self.state.seats_free)
    }

    fn wait_text(&self) -> Phrase {
        const MINUTE: u64 = 60;
        const HOUR: u64 = 60 * MINUTE;
        let Some(wait) = self.wait else { return self.v.t("queue-wait-unknown") };
        let (from, to) = (wait.secs_min / MINUTE, wait.secs_max.div_ceil(MINUTE));
        let about = |duration| self.v.t("queue-wait-about").word("duration", duration);
        match wait.secs_max {
            0..MINUTE => self.v.t("date-less-than-a-minute"),
            MINUTE..HOUR if from < to && from > 0 => {
                about(self.v.t("date-minutes-range").number("from", from).number("to", to))
            }
            MINUTE..HOUR => about(self.v.t("date-minutes").number("minutes", to)),
            _ => {
                let minutes = wait.secs.div_ceil(MINUTE);
                let text = self.v.t("date-hours-minutes");
                about(text.number("hours", minutes / 60).number("minutes", minutes % 60))
            }
        }
    }

    /// Returns a time of day with a placeholder for the script, which fills in later values.
    fn clock_pattern(&self) -> String {
        let zone = times::zone(&self.program.time_zone);
        format!("{{time}} {}", times::zone_name(self.now, zone))
    }

    fn measured_at(&self) -> Option<String> {
        let zone = times::zone(&self.program.time_zone);
        self.wait.map(|wait| times::time_of_day(wait.measured_at, zone))
    }
}

/// Returns the whole seconds of `ms`, rounded up.
pub(crate) fn whole_secs(ms: u64) -> u64 {
    ms.div_ceil(1_000)
}
