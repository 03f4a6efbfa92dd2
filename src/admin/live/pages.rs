//! The live page of a program.

use std::sync::Arc;

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    LiveSale, LiveSales, LiveState, OfficeNews, RefusalReason,
    instances::InstanceNote,
    parts::{CountedParts, LivePart},
    store::{LivePerformance, Verification},
};
use crate::{
    accounts::AdminAccount,
    admin::{
        inventory_bar::InventoryBar,
        queue::{
            Prediction,
            pages::{limits::LimitsForm, prediction_text},
            predict,
        },
    },
    app::App,
    catalog::{Program, ProgramId, ScheduleId},
    text::{i18n::Phrase, times},
    web::{
        error::{NotFound, PageError},
        form::FormRefusal,
        page::View,
    },
};

/// Difference of a clock that is shown as a fault, in milliseconds.
const CLOCK_FAULT_MS: i64 = 2_000;

impl LivePart {
    fn bar(&self) -> InventoryBar {
        InventoryBar::of(self.sold, self.held, self.free)
    }
}

impl LiveState {
    /// Returns the locale key of its words.
    fn text_key(self) -> &'static str {
        match self {
            Self::Draft => "admin-status-draft",
            Self::Cancelled => "admin-status-cancelled",
            Self::NoDates => "admin-state-no-dates",
            Self::Coming => "admin-state-coming",
            Self::Over => "admin-live-over",
            Self::Paused => "admin-live-paused",
            Self::SoldOut => "admin-state-sold-out",
            Self::OnSale => "admin-state-on-sale",
        }
    }

    /// Whether something keeps people from buying that staff wants to see at once.
    fn is_stopped(self) -> bool {
        matches!(self, Self::Cancelled | Self::Paused | Self::NoDates)
    }
}

/// Returns what `stagedoor verify` said last, in words.
pub(crate) fn verification_text(
    v: &View,
    last: Option<&Verification>,
    now: &DateTime<Utc>,
) -> Phrase {
    let Some(last) = last else { return v.t("admin-verify-never") };
    let when = times::near(last.began_at, *now, times::home(), v.locale);
    let said = match last.n_violations {
        0 => v.t("admin-verify-clean"),
        n => v.t("admin-verify-broken").number("count", n).word("broken", last.broken.join(", ")),
    };
    said.word("when", when).word("checks", v.number(last.n_checks))
}

#[derive(Template)]
#[template(path = "admin/live.html")]
struct LivePage {
    v: View,
    sale: Arc<LiveSale>,
    /// Counts of each performance of `sale`; `None` for one that is still being counted.
    parts: Vec<Option<Arc<CountedParts>>>,
    news: Arc<OfficeNews>,
    limits: LimitsForm,
    /// Predictions for the present limits and for typed ones; `None` unless it was asked.
    predicted: Option<[Option<Prediction>; 2]>,
    refusal: FormRefusal,
}

impl LivePage {
    fn program(&self) -> &Program {
        &self.sale.program
    }

    fn performances(&self) -> impl Iterator<Item = (&LivePerformance, Option<&CountedParts>)> {
        let counted = self.parts.iter().map(Option::as_deref);
        self.sale.performances.iter().zip(counted)
    }

    fn predicted_text(&self, prediction: Option<&Prediction>) -> Phrase {
        prediction_text(&self.v, prediction)
    }

    /// Returns a time of day with its seconds, on the clock of the program.
    fn second(&self, moment: &DateTime<Utc>) -> String {
        let zone = times::zone(&self.program().time_zone);
        moment.with_timezone(&zone).format("%H:%M:%S").to_string()
    }

    fn moment(&self, moment: &DateTime<Utc>) -> String {
        self.v.near(moment, &self.sale.figures.at, &self.program().time_zone)
    }

    /// Returns the title of a refusal as people read it, or its code where it has none without further words.
    fn reason(&self, reason: &RefusalReason) -> String {
        let key = format!("error-{}-title", reason.code);
        let title = self.v.text(key.clone()).to_string();
        if title == key { reason.code.clone() } else { title }
    }

    fn oldest_mail(&self) -> Option<Phrase> {
        self.news.oldest_mail_secs.map(|secs| self.v.time_span(secs))
    }

    /// Returns the difference of a clock in words, and whether it is a fault.
    fn clock(&self, note: &InstanceNote) -> (String, bool) {
        match note.clock_ahead_ms {
            None => (self.v.t("admin-live-unknown").to_string(), false),
            Some(ms) => {
                let secs =
                    format!("{:+.3}", f64::from(i32::try_from(ms).unwrap_or(i32::MAX)) / 1_000.0);
                let text = self.v.t("admin-live-seconds").word("seconds", secs).to_string();
                (text, ms.abs() > CLOCK_FAULT_MS)
            }
        }
    }

    fn verification(&self) -> Phrase {
        verification_text(&self.v, self.news.verification.as_ref(), &self.sale.figures.at)
    }

    fn is_broken(&self) -> bool {
        self.news.verification.as_ref().is_some_and(|last| last.n_violations > 0)
    }
}

/// Live figures of a sale.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LiveDocument<'a> {
    program_id: ProgramId,
    title: &'a str,
    state: LiveState,
    /// Whether staff have stopped the clock of the program.
    clock_stopped: bool,
    /// When the figures were read.
    at: DateTime<Utc>,
    /// Accounts that may choose places now, but for the ones that an access gate admitted.
    inside: i64,
    admitted_last_minute: i64,
    /// Line; `None` where the show has none.
    line: Option<LineFigures>,
    performances: Vec<LivePerformanceDocument<'a>>,
    /// Performances beyond the listed ones.
    more_performances: usize,
    /// Refusals within the last five minutes; `None` while they are not known.
    refusals: Option<&'a [RefusalReason]>,
    office: &'a OfficeNews,
    /// Prediction for the present limits.
    prediction: Option<Prediction>,
    /// Prediction for the limits in the query string.
    with_these: Option<Prediction>,
}

/// Line of a sale in figures.
#[derive(Debug, Serialize, JsonSchema)]
struct LineFigures {
    /// Waiting, parked ones excluded.
    waiting: i64,
    /// Parked: absent when they were to be admitted.
    parked: i64,
    capacity: Option<i32>,
    joined_last_minute: i64,
}

/// Performance with what is sold, held and free of it.
#[derive(Debug, Serialize, JsonSchema)]
struct LivePerformanceDocument<'a> {
    schedule_id: ScheduleId,
    starts_at: DateTime<Utc>,
    /// When it was counted; `None` while that is under way.
    counted_at: Option<DateTime<Utc>>,
    /// Sections, front to back, then zones.
    parts: &'a [LivePart],
}

impl<'a> LiveDocument<'a> {
    fn of(page: &'a LivePage) -> Self {
        let (sale, figures) = (&page.sale, &page.sale.figures);
        let details = &sale.program.details;
        let line = LineFigures {
            waiting: figures.waiting,
            parked: figures.parked,
            capacity: details.queue_capacity,
            joined_last_minute: sale.joined_last_minute,
        };
        let performance = |(each, counted): (&LivePerformance, Option<&'a CountedParts>)| {
            LivePerformanceDocument {
                schedule_id: each.id,
                starts_at: each.starts_at,
                counted_at: counted.map(|counted| counted.at),
                parts: counted.map(|counted| counted.parts.as_slice()).unwrap_or_default(),
            }
        };
        Self {
            program_id: sale.program.id,
            title: &details.title,
            state: sale.state,
            clock_stopped: sale.program.is_clock_stopped(),
            at: figures.at,
            inside: figures.inside,
            admitted_last_minute: figures.admitted_last_minute,
            line: sale.has_line().then_some(line),
            performances: page.performances().map(performance).collect(),
            more_performances: sale.n_more,
            refusals: sale.refusals.as_deref(),
            office: &page.news,
            prediction: predict(
                figures,
                sale.freed,
                details.queue_capacity,
                details.queue_rate_per_second,
            ),
            with_these: page.predicted.and_then(|[_, with_these]| with_these),
        }
    }
}

/// `GET /admin/programs/{id}/live`; limits in the query string are predicted, not saved.
pub async fn show_live(
    app: Data<App>,
    live: Data<LiveSales>,
    me: AdminAccount,
    id: Path<ProgramId>,
    asked: Query<LimitsForm>,
) -> Result<HttpResponse, PageError> {
    let sale = live.sale(&app, *id).await?.ok_or(NotFound)?;
    let ids: Vec<ScheduleId> = sale.performances.iter().map(|each| each.id).collect();
    let (parts, news) = (live.parts.of(&app, &ids).await, live.news(&app).await?);
    let (mut limits, mut predicted) = (LimitsForm::of(&sale.program), None);
    let mut refusal = FormRefusal::default();
    if !asked.is_no_question() {
        limits = asked.on(&sale.program);
        match me.view.or_refusal(asked.read().map_err(PageError::from))? {
            Ok((capacity, rate)) => {
                let details = &sale.program.details;
                let now = predict(
                    &sale.figures,
                    sale.freed,
                    details.queue_capacity,
                    details.queue_rate_per_second,
                );
                predicted = Some([now, predict(&sale.figures, sale.freed, capacity, rate)]);
            }
            Err(refused) => refusal = refused.with_reasons(&me.view),
        }
    }
    let status = refusal.status();
    let page = LivePage { v: me.view, sale, parts, news, limits, predicted, refusal };
    match page.v.format.is_for_programs() {
        true => Ok(page.v.json(status, &LiveDocument::of(&page))),
        false => Ok(page.v.html(status, &page)),
    }
}
