//! Admin pages of programs: list, form, publication; also the query and forms shared with other
//! admin pages.

pub mod copying;
mod form;
pub mod poster;
pub mod preview;
pub mod publication;
mod refund_rows;
pub(crate) mod refund_terms;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::{form::ProgramForm, refund_terms::RefundRow};
use crate::{
    accounts::{
        AdminAccount,
        api_keys::pages::{ProgramsReader, ProgramsWriter},
    },
    admin::{
        pages::parse_version,
        programs,
        schedules::{
            pages::forms::NewScheduleForm,
            telling::{Concerned, Whose, count_concerned},
        },
    },
    app::App,
    catalog::{
        Program, ProgramId, ProgramStatus, ProgramSummary, ScheduleEdition, VenueEdition,
        find_program, list_cancelled_acts, list_program_summaries, list_schedule_editions,
        list_venues, schedules::store::FULL_REFUND_DAYS,
    },
    infra::{idempotency::RequestKey, postgres::page::Page},
    text::{times, typed},
    web::{
        error::{Internal, NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes, local_time::Reading},
        page::View,
        request_key::HeaderKey,
    },
};

#[derive(Template)]
#[template(path = "admin/programs.html")]
struct ProgramsPage {
    v: View,
    query: Search,
    programs: Page<ProgramSummary>,
}

/// Query string of a searchable list: the text and the page.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Search {
    #[serde(deserialize_with = "typed::deserialize")]
    pub q: String,
    pub after: Option<Uuid>,
}

/// Page of shows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramsDocument<'a> {
    programs: &'a [ProgramSummary],
    next: Option<Uuid>,
}

/// `GET /admin/programs`
pub async fn list_programs(
    app: Data<App>,
    me: ProgramsReader,
    query: Query<Search>,
) -> Result<HttpResponse, PageError> {
    let query = query.into_inner();
    let found = list_program_summaries(&app.db, query.q.trim(), query.after).await?;
    let programs = Page::cut(found, |program| program.id.0);
    let page = ProgramsPage { v: me.view, query, programs };
    let document = ProgramsDocument { programs: &page.programs.rows, next: page.programs.next };
    Ok(page.v.show(&page, &document))
}

#[derive(Template)]
#[template(path = "admin/program.html")]
struct ProgramPage {
    v: View,
    /// `None` for a program not yet created.
    edition: Option<Program>,
    schedules: Vec<ScheduleEdition>,
    venues: Vec<VenueEdition>,
    form: ProgramForm,
    /// Accounts that another title or length concerns.
    concerned: Concerned,
    /// Artists who do not take part, as people were told.
    cancelled_acts: Vec<String>,
    /// Form of a performance that was refused.
    new_schedule: NewScheduleForm,
    refusal: FormRefusal,
}

impl ProgramPage {
    fn new(v: View) -> Self {
        Self {
            v,
            edition: None,
            schedules: Vec::new(),
            venues: Vec::new(),
            form: ProgramForm::usual(),
            concerned: Concerned::default(),
            cancelled_acts: Vec::new(),
            new_schedule: NewScheduleForm::default(),
            refusal: FormRefusal::default(),
        }
    }

    async fn of(app: &App, v: View, edition: Program) -> Result<Self, PageError> {
        Ok(Self {
            schedules: list_schedule_editions(&app.db, edition.id).await?,
            venues: list_venues(&app.db).await?,
            form: ProgramForm::of(&edition),
            concerned: count_concerned(&app.db, Whose::Program(edition.id)).await?,
            cancelled_acts: list_cancelled_acts(&app.db, edition.id).await?,
            edition: Some(edition),
            ..Self::new(v)
        })
    }

    fn opens_readings(&self) -> Vec<Reading> {
        self.form.opens().readings(self.zone())
    }

    fn closes_readings(&self) -> Vec<Reading> {
        self.form.closes().readings(self.zone())
    }

    /// Returns the time zone in which the form's times are shown.
    fn zone(&self) -> Tz {
        times::zone(self.form.time_zone.text())
    }

    fn slug_help(&self) -> &'static str {
        match self.edition {
            Some(_) => "admin-program-slug-kept",
            None => "admin-program-slug-help",
        }
    }

    fn action(&self) -> String {
        match &self.edition {
            Some(edition) => program_path(edition.id),
            None => "/admin/programs".to_owned(),
        }
    }

    /// Answers with the form as typed and the refusal.
    fn refused(self, form: ProgramForm, refusal: FormRefusal) -> HttpResponse {
        let page = Self { form, refusal, ..self };
        page.v.html(page.refusal.status(), &page)
    }
}

/// Returns the path of a program's page.
pub fn program_path(id: ProgramId) -> String {
    format!("/admin/programs/{id}")
}

/// Returns the program's current edition, or a 404.
pub(crate) async fn edition_of(app: &App, id: ProgramId) -> Result<Program, PageError> {
    Ok(find_program(&app.db, id).await?.ok_or(NotFound)?)
}

/// `GET /admin/programs/new`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn new_program(me: AdminAccount) -> HttpResponse {
    let page = ProgramPage::new(me.view);
    page.v.html(StatusCode::OK, &page)
}

/// `POST /admin/programs`
pub async fn create_program(
    app: Data<App>,
    me: ProgramsWriter,
    key: HeaderKey,
    Body(form): Body<ProgramForm>,
) -> Result<HttpResponse, PageError> {
    let (account_id, key) = (me.actor.account_id.0, key.0?);
    let made = async {
        let details = form.parse(times::home().name())?;
        let key = key.map(|key| RequestKey::new(account_id, key, "/admin/programs", &details));
        let made = programs::create(&app, me.actor, &details, key.as_ref()).await?;
        Ok((made.id().ok_or(Internal)?, made))
    }
    .await;
    let page = async |v, refusal| Ok(ProgramPage::new(v).refused(form, refusal));
    let done = |v: &View, (id, made)| {
        with_message(v.done(StatusCode::CREATED, &made, &program_path(id)), "flash-admin-saved")
    };
    me.view.answer(made, done, page).await
}

/// Show with its performances.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EditionDocument<'a> {
    program: &'a Program,
    schedules: &'a [ScheduleEdition],
    /// Accounts that another title or length of it would concern.
    concerned: &'a Concerned,
    /// Artists who do not take part, as people were told.
    cancelled_acts: &'a [String],
}

/// `GET /admin/programs/{id}`
pub async fn show_program(
    app: Data<App>,
    me: ProgramsReader,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let page = ProgramPage::of(&app, me.view, edition.clone()).await?;
    let document = EditionDocument {
        program: &edition,
        schedules: &page.schedules,
        concerned: &page.concerned,
        cancelled_acts: &page.cancelled_acts,
    };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/programs/{id}`
pub async fn update_program(
    app: Data<App>,
    me: ProgramsWriter,
    id: Path<ProgramId>,
    Body(form): Body<ProgramForm>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let outcome = async {
        let (version, details, notice) = form.parse_edit(&edition)?;
        let is_told = programs::is_told(&edition.details, &details, &notice);
        if notice.is_refundable && version == edition.version && !is_told {
            return Err(Mistakes::one("refundable", "admin-refusal-refundable").into());
        }
        let back = &notice.returned_act;
        if !back.is_empty() && !list_cancelled_acts(&app.db, *id).await?.contains(back) {
            return Err(Mistakes::one("returned_act", "admin-refusal-act-back").into());
        }
        Ok(programs::edit(&app, me.actor, (*id, version), details, &notice).await?)
    }
    .await;
    answer(&app, me.view, *id, outcome, ("flash-admin-saved", Some(form))).await
}

/// Answers an edit: with a message, or with the program's page, its form as typed if it was the one that was
/// sent, and the reason of a refusal. The form carries the newest version, so sending it again overwrites the
/// changes of others knowingly.
async fn answer(
    app: &App,
    v: View,
    id: ProgramId,
    outcome: Result<Program, PageError>,
    (message, typed): (&'static str, Option<ProgramForm>),
) -> Result<HttpResponse, PageError> {
    let page = async |v, refusal: FormRefusal| {
        let edition = edition_of(app, id).await?;
        let version = edition.version;
        let page = ProgramPage::of(app, v, edition).await?;
        let form = match typed {
            Some(form) if refusal.mistakes.is_empty() => form.on(version),
            Some(form) => form,
            None => page.form.clone(),
        };
        Ok(page.refused(form, refusal))
    };
    let done =
        |v: &View, saved| with_message(v.done(StatusCode::OK, &saved, &program_path(id)), message);
    v.answer(outcome, done, page).await
}

/// Answers a refusal of another form on the program's page, with the reason.
pub(crate) async fn refuse_beside(
    app: &App,
    v: View,
    edition: Program,
    new_schedule: NewScheduleForm,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let page = ProgramPage::of(app, v, edition).await?;
    let refusal = refusal.in_words(&page.v);
    let page = ProgramPage { new_schedule, refusal, ..page };
    Ok(page.v.html(page.refusal.status(), &page))
}

/// Form of a button that acts on one edition.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["version"]))]
pub struct VersionForm {
    /// Version that was shown; another one is refused.
    version: Field,
}

impl VersionForm {
    pub(crate) fn parse(&self) -> Result<i64, Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        mistakes.or(version)
    }
}
