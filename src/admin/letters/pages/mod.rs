//! Pages of letters: the list of a program with the form of a new letter, and the state of a letter.

pub mod form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use self::form::{LetterForm, ReleaseForm, ReminderForm};
use super::{
    model::{Audience, LetterDelivery, LetterDraft, LetterStatus, OfficeLetter, OfficeLetterId},
    store::{self, Which},
};
use crate::{
    accounts::{AdminAccount, ConfirmedAdmin},
    admin::{letters, pages::saved, programs::pages::edition_of},
    app::App,
    catalog::{Program, ProgramId, ScheduleEdition, list_schedule_editions},
    text::{i18n::Phrase, times::zone},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
        page::{Empty, Identified, View},
    },
};

/// Letters shown of a program: the newest.
const LETTERS_MAX: i64 = 100;
/// Accounts of an audience that are counted.
const COUNTED_MAX: i64 = 100_000;

#[derive(Template)]
#[template(path = "admin/letters.html")]
struct LettersPage {
    v: View,
    edition: Program,
    schedules: Vec<ScheduleEdition>,
    letters: Vec<OfficeLetter>,
    form: LetterForm,
    hours_before: Option<i16>,
    /// The same as typed.
    hours: String,
    refusal: FormRefusal,
}

impl LettersPage {
    async fn of(app: &App, v: View, edition: Program) -> Result<Self, PageError> {
        let hours_before = store::hours_before(&app.db, edition.id).await?;
        Ok(Self {
            v,
            schedules: list_schedule_editions(&app.db, edition.id).await?,
            letters: store::list(&app.db, Which::Newest(edition.id, LETTERS_MAX)).await?,
            hours_before,
            hours: hours_before.map(|hours| hours.to_string()).unwrap_or_default(),
            edition,
            form: LetterForm::default(),
            refusal: FormRefusal::default(),
        })
    }

    fn status(&self, letter: &OfficeLetter) -> Phrase {
        status_text(&self.v, letter.status)
    }
}

fn status_text(v: &View, status: LetterStatus) -> Phrase {
    v.text(format!("admin-letter-status-{}", status.as_ref()))
}

fn path_of(id: OfficeLetterId) -> String {
    format!("/admin/letters/{id}")
}

/// Letters of a program, and when the holders of tickets are reminded of its performances.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LettersDocument<'a> {
    letters: &'a [OfficeLetter],
    /// Hours before each performance; `None`: there is no reminder.
    hours_before: Option<i16>,
}

/// `GET /admin/programs/{id}/letters`
pub async fn list_letters(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let page = LettersPage::of(&app, me.view, edition_of(&app, *id).await?).await?;
    let (letters, hours_before) = (page.letters.as_slice(), page.hours_before);
    let document = LettersDocument { letters, hours_before };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/programs/{id}/letters/reminder`
pub async fn update_reminder(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    Body(form): Body<ReminderForm>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let outcome = async {
        let hours_before = form.parse()?;
        Ok(letters::set_hours_before(&app, me.account_id, edition.id, hours_before).await?)
    }
    .await;
    let path = format!("/admin/programs/{id}/letters");
    let page = async |v, refusal| {
        let hours = form.hours_before.text().to_owned();
        let page = LettersPage { hours, refusal, ..LettersPage::of(&app, v, edition).await? };
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(outcome, |v, ()| saved(v, &Empty {}, &path), page).await
}

/// `POST /admin/programs/{id}/letters`
pub async fn create_letter(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    Body(form): Body<LetterForm>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let drafted = async {
        let schedules = list_schedule_editions(&app.db, edition.id).await?;
        let draft = form.parse(&schedules, app.now())?;
        let audience = audience_of(&app, &draft).await?;
        let id = letters::draft(&app, me.account_id, edition.id, (&draft, &audience)).await?;
        Ok(Identified { id })
    }
    .await;
    let done = |v: &View, made: Identified<OfficeLetterId>| {
        with_message(v.done(StatusCode::CREATED, &made, &path_of(made.id)), "flash-admin-saved")
    };
    let page = async |v, refusal| {
        let page = LettersPage { form, refusal, ..LettersPage::of(&app, v, edition).await? };
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(drafted, done, page).await
}

/// Returns what the names of a draft mean, or refuses the ones that mean nothing.
async fn audience_of(app: &App, draft: &LetterDraft) -> Result<Audience, PageError> {
    let audience = store::find_audience(&app.db, draft).await?;
    let mut mistakes = Mistakes::default();
    let is_place = draft.section.is_none() || audience.has_seats || !audience.zone_ids.is_empty();
    mistakes.note("section", "admin-letter-refusal-section", is_place.then_some(()));
    let is_type = draft.price_type.is_none() || !audience.price_type_ids.is_empty();
    mistakes.note("price_type", "admin-letter-refusal-price-type", is_type.then_some(()));
    Ok(mistakes.or((is_place && is_type).then_some(audience))?)
}

#[derive(Template)]
#[template(path = "admin/letter.html")]
struct LetterPage {
    v: View,
    edition: Program,
    letter: OfficeLetter,
    starts: Vec<String>,
    /// Accounts of its audience now, up to [`COUNTED_MAX`].
    n_audience: usize,
    delivery: LetterDelivery,
    send_at: Field,
    refusal: FormRefusal,
}

impl LetterPage {
    async fn of(app: &App, v: View, id: OfficeLetterId) -> Result<Self, PageError> {
        let letter = find(app, id).await?;
        let edition = edition_of(app, letter.program_id).await?;
        let schedules = list_schedule_editions(&app.db, edition.id).await?;
        let is_meant = |schedule: &&ScheduleEdition| letter.schedule_ids.contains(&schedule.id);
        let starts = schedules.iter().filter(is_meant);
        let starts = starts.map(|each| v.moment(&each.starts_at, &each.time_zone)).collect();
        let audience = store::list_audience(&app.db, id, None, COUNTED_MAX).await?;
        let (n_audience, refusal) = (audience.len(), FormRefusal::default());
        let (send_at, delivery) = (Field::default(), store::count_delivery(&app.db, id).await?);
        Ok(Self { v, edition, letter, starts, n_audience, delivery, send_at, refusal })
    }

    fn status(&self) -> Phrase {
        status_text(&self.v, self.letter.status)
    }

    fn is_draft(&self) -> bool {
        self.letter.status == LetterStatus::Draft
    }

    fn is_stopped(&self) -> bool {
        self.letter.status == LetterStatus::Stopped
    }
}

async fn find(app: &App, id: OfficeLetterId) -> Result<OfficeLetter, PageError> {
    Ok(store::list(&app.db, Which::One(id)).await?.pop().ok_or(NotFound)?)
}

/// Letter, and how many accounts belong to its audience.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OfficeLetterDocument<'a> {
    letter: &'a OfficeLetter,
    n_audience: usize,
    delivery: LetterDelivery,
}

/// `GET /admin/letters/{id}`
pub async fn show_letter(
    app: Data<App>,
    me: AdminAccount,
    id: Path<OfficeLetterId>,
) -> Result<HttpResponse, PageError> {
    let page = LetterPage::of(&app, me.view, *id).await?;
    let LetterPage { letter, n_audience, delivery, .. } = &page;
    let document = OfficeLetterDocument { letter, n_audience: *n_audience, delivery: *delivery };
    Ok(page.v.show(&page, &document))
}

/// Answers an act on a letter: leads back to its page, or shows it with the refusal.
async fn answer(
    app: &App,
    v: View,
    id: OfficeLetterId,
    outcome: Result<(), PageError>,
    send_at: Field,
) -> Result<HttpResponse, PageError> {
    let page = async |v, refusal: FormRefusal| {
        let mut page = LetterPage { send_at, ..LetterPage::of(app, v, id).await? };
        page.refusal = refusal.beside_fields();
        Ok(page.v.html(page.refusal.status(), &page))
    };
    v.answer(outcome, |v, ()| saved(v, &Empty {}, &path_of(id)), page).await
}

/// `POST /admin/letters/{id}/test`
pub async fn create_test(
    app: Data<App>,
    me: AdminAccount,
    id: Path<OfficeLetterId>,
) -> Result<HttpResponse, PageError> {
    let letter = find(&app, *id).await?;
    let outcome = letters::test(&app, me.account_id, &letter).await.map_err(PageError::from);
    answer(&app, me.view, *id, outcome, Field::default()).await
}

/// `POST /admin/letters/{id}/release`
pub async fn create_release(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<OfficeLetterId>,
    Body(form): Body<ReleaseForm>,
) -> Result<HttpResponse, PageError> {
    let letter = find(&app, *id).await?;
    let edition = edition_of(&app, letter.program_id).await?;
    let outcome = async {
        let send_at = form.parse(zone(&edition.time_zone), app.now())?;
        Ok(letters::release(&app, me.account_id, &letter, send_at).await?)
    }
    .await;
    answer(&app, me.view, *id, outcome, form.send_at).await
}

/// `POST /admin/letters/{id}/stop`
pub async fn create_stop(
    app: Data<App>,
    me: AdminAccount,
    id: Path<OfficeLetterId>,
) -> Result<HttpResponse, PageError> {
    let letter = find(&app, *id).await?;
    let outcome = letters::stop(&app, me.account_id, &letter).await.map_err(PageError::from);
    answer(&app, me.view, *id, outcome, Field::default()).await
}
