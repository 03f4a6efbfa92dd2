//! Queue pages of one program: figures, limits, guards, pauses, admissions, purges.

pub mod admission;
mod announcement_form;
pub mod announcements;
mod chart;
pub mod documents;
pub mod draw;
pub mod given_time;
pub(crate) mod guard_choices;
pub mod guards;
mod guards_form;
pub(crate) mod limits;
mod opening;
pub mod purge;
pub(crate) mod purge_view;

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use self::{
    announcement_form::AnnouncementForm,
    chart::Charts,
    documents::QueueDocument,
    guard_choices::{OFFERED_BITS, name_key},
    guards_form::GuardsForm,
    limits::LimitsForm,
    opening::Opening,
    purge_view::PurgeView,
};
use super::{
    Prediction, predict,
    store::{self as store, QueueFigures},
};
use crate::{
    accounts::AdminAccount,
    admin::{
        chart::Chart,
        pages::saved,
        programs::{self, pages::edition_of},
    },
    app::App,
    catalog::{Program, ProgramChange, ProgramId, ProgramStatus},
    entry_queue::{
        Effect, Speed, find_draw, find_purge, list_access_gates, list_effects, measure_freed,
        secs_of,
    },
    infra::ids::new_id,
    text::{i18n::Phrase, times},
    web::{
        error::PageError,
        form::{Body, FormRefusal},
        page::View,
    },
};

#[derive(Template)]
#[template(path = "admin/queue.html")]
struct AdminQueuePage {
    v: View,
    edition: Program,
    figures: QueueFigures,
    /// Speed at which stays end.
    freed: Speed,
    charts: Charts,
    /// Prediction for the current settings.
    now: Option<Prediction>,
    /// Prediction for settings that were typed and not saved.
    then: Option<Prediction>,
    limits: LimitsForm,
    guards: GuardsForm,
    effects: Vec<Effect>,
    opening: Opening,
    /// Key with which time is given once.
    request_key: Uuid,
    /// Announcement as typed.
    announcement: AnnouncementForm,
    /// Whether the secret of seeds and logs is kept in the database, and not configured.
    is_secret_kept: bool,
    is_asked: bool,
    purge: Option<PurgeView>,
    refusal: FormRefusal,
}

impl AdminQueuePage {
    async fn of(app: &App, v: View, id: ProgramId) -> Result<Self, PageError> {
        let edition = edition_of(app, id).await?;
        let figures = store::figures_of(&app.db, id, None).await?;
        let minutes = store::list_minutes(&app.db, id).await?;
        let charts = Charts::of(&v, minutes, times::zone(&edition.time_zone));
        let purge = find_purge(&app.db, id).await?;
        let purge = purge.and_then(|purge| PurgeView::of(purge, figures.at));
        let details = &edition.details;
        let may_draw =
            figures.at < details.on_sale_at && list_access_gates(&app.db, id).await?.is_empty();
        let freed = measure_freed(app, &edition).await?;
        let now = predict(&figures, freed, details.queue_capacity, details.queue_rate_per_second);
        Ok(Self {
            limits: LimitsForm::of(&edition),
            guards: GuardsForm::of(&edition),
            effects: list_effects(&app.db, id).await?,
            is_secret_kept: app.config.log_secret.is_none(),
            opening: Opening::of(&edition, find_draw(&app.db, id).await?.as_ref(), may_draw),
            v,
            edition,
            figures,
            freed,
            charts,
            now,
            then: None,
            is_asked: false,
            request_key: new_id(),
            announcement: AnnouncementForm::default(),
            purge,
            refusal: FormRefusal::default(),
        })
    }

    /// Answers mistakes in the limits: the page with the limits as typed and the reasons.
    fn with_limits(mut self, typed: &LimitsForm, refusal: FormRefusal) -> HttpResponse {
        self.refusal = refusal.with_reasons(&self.v);
        self.limits = typed.on(&self.edition);
        self.v.html(self.refusal.status(), &self)
    }

    /// Returns a prediction in words.
    fn text_of(&self, prediction: Option<&Prediction>) -> Phrase {
        prediction_text(&self.v, prediction)
    }

    /// Lists the difficulties to choose from: bits, seconds of work, and whether each is set. A
    /// set one that is not offered comes first.
    fn difficulties(&self) -> Vec<(i32, i64, bool)> {
        let set: Option<i32> = self.guards.proof_bits.parse();
        let other = set.filter(|bits| !OFFERED_BITS.contains(bits));
        let all = other.into_iter().chain(OFFERED_BITS);
        all.map(|bits| (bits, secs_of(bits), set == Some(bits))).collect()
    }

    fn guard_name(&self, effect: &Effect) -> Phrase {
        self.v.t(name_key(effect.guard))
    }

    fn moment(&self, moment: &DateTime<Utc>) -> String {
        self.v.moment(moment, &self.edition.time_zone)
    }

    fn time(&self) -> String {
        self.charts.time(&self.figures.at)
    }
}

/// Returns a prediction in words.
pub(crate) fn prediction_text(v: &View, prediction: Option<&Prediction>) -> Phrase {
    match prediction {
        None => v.t("admin-queue-unknown"),
        Some(Prediction { per_minute, minutes }) => v
            .t("admin-queue-predicted")
            .word("rate", format!("{per_minute:.1}"))
            .word("minutes", minutes.map_or_else(|| "∞".to_owned(), |m| format!("{m:.0}"))),
    }
}

fn admin_queue_path(id: ProgramId) -> String {
    format!("/admin/programs/{id}/queue")
}

/// `GET /admin/programs/{id}/queue`; limits in the query string are predicted, not saved.
pub async fn show_queue(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    asked: Query<LimitsForm>,
) -> Result<HttpResponse, PageError> {
    let mut page = AdminQueuePage::of(&app, me.view, *id).await?;
    if !asked.is_no_question() {
        let (capacity, rate) = match page.v.or_refusal(asked.read().map_err(PageError::from))? {
            Ok(limits) => limits,
            Err(refusal) => return Ok(page.with_limits(&asked, refusal)),
        };
        page.then = predict(&page.figures, page.freed, capacity, rate);
        page.is_asked = true;
        page.limits = asked.on(&page.edition);
    }
    let document = QueueDocument {
        program: &page.edition,
        figures: &page.figures,
        prediction: page.now.as_ref(),
        guard_effects: &page.effects,
        with_these: page.then.as_ref(),
        minutes: &page.charts.minutes,
        purge: page.purge.as_ref(),
    };
    Ok(page.v.show(&page, &document))
}

/// Answers an action: redirects to the queue's page, or renders it with the refusal.
async fn answer<T: Serialize>(
    app: &App,
    v: View,
    id: ProgramId,
    outcome: Result<T, PageError>,
) -> Result<HttpResponse, PageError> {
    let page = async |v, refusal| refused(app, v, id, refusal).await;
    v.answer(outcome, |v, done| saved(v, &done, &admin_queue_path(id)), page).await
}

/// Renders the queue's page with a refusal.
async fn refused(
    app: &App,
    v: View,
    id: ProgramId,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let mut page = AdminQueuePage::of(app, v, id).await?;
    page.refusal = refusal.in_words(&page.v);
    Ok(page.v.html(page.refusal.status(), &page))
}

/// `POST /admin/programs/{id}/queue`
pub async fn update_queue(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    Body(form): Body<LimitsForm>,
) -> Result<HttpResponse, PageError> {
    let limits = me.view.or_refusal(form.parse().map_err(PageError::from))?;
    let (version, (capacity, rate_per_second)) = match limits {
        Ok(parsed) => parsed,
        Err(refusal) => {
            let page = AdminQueuePage::of(&app, me.view, *id).await?;
            return Ok(page.with_limits(&form, refusal));
        }
    };
    change(&app, me, *id, version, &ProgramChange::Limits { capacity, rate_per_second }).await
}

/// Changes the program's settings of its queue.
async fn change(
    app: &App,
    me: AdminAccount,
    id: ProgramId,
    version: i64,
    change: &ProgramChange,
) -> Result<HttpResponse, PageError> {
    let outcome = programs::change(app, me.account_id, id, version, change, None).await;
    answer(app, me.view, id, outcome.map_err(PageError::from)).await
}
