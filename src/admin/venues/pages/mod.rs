//! Venue pages: list, form, seat plan from a grid or a CSV.

pub mod plan;
mod plan_form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::AdminAccount,
    admin::{
        AdminError,
        pages::{WordsForm, parse_text, parse_version, saved},
        programs::pages::VersionForm,
        questions::ZoneQuestion,
        schedules::telling::{Concerned, Whose, count_concerned},
        venues::{self, edit::VenueNotice},
    },
    app::App,
    catalog::{
        PlannedSeat, SeatKind, VenueDetails, VenueEdition, VenueId, find_venue, list_seats,
        list_venues, schedules::store::FULL_REFUND_DAYS,
    },
    text::times,
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
        page::{DeletedDocument, View},
    },
};
pub use plan::{preview_seats, show_save, show_seats, update_seats};
use plan_form::PlanForm;

const NAME_CHARS_MAX: usize = 120;
const ADDRESS_CHARS_MAX: usize = 300;
/// Bound on seats that a preview draws; larger venues are only counted.
const DRAWN_MAX: usize = 5_000;

#[derive(Template)]
#[template(path = "admin/venues.html")]
struct VenuesPage {
    v: View,
    venues: Vec<VenueEdition>,
}

/// All venues.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VenuesDocument<'a> {
    venues: &'a [VenueEdition],
}

/// `GET /admin/venues`
pub async fn list_all(app: Data<App>, me: AdminAccount) -> Result<HttpResponse, PageError> {
    let venues = list_venues(&app.db).await?;
    let page = VenuesPage { v: me.view, venues };
    let document = VenuesDocument { venues: &page.venues };
    Ok(page.v.show(&page, &document))
}

/// Venue form.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct VenueForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Name.
    name: Field,
    /// Postal address.
    address: Field,
    /// Time zone, as IANA names it.
    time_zone: Field,
    /// What performances that are still to come keep if the time zone changes: `hour` or `moment`. Without it
    /// a change that concerns one is refused.
    kept: Field,
    /// Checkbox: the other name or address is another place, so who has booked may give everything back.
    elsewhere: Field,
    /// Words to the people whom a change concerns.
    #[serde(flatten)]
    words: WordsForm,
}

impl VenueForm {
    fn of(edition: &VenueEdition) -> Self {
        Self {
            version: Field::of(edition.version),
            name: Field::of(&edition.details.name),
            address: Field::of(&edition.details.address),
            time_zone: Field::of(&edition.details.time_zone),
            ..Self::default()
        }
    }

    fn read(&self, mistakes: &mut Mistakes) -> Option<VenueDetails> {
        let name =
            mistakes.note("name", "admin-refusal-title", parse_text(&self.name, 1, NAME_CHARS_MAX));
        let address = parse_text(&self.address, 0, ADDRESS_CHARS_MAX);
        let address = mistakes.note("address", "admin-refusal-description", address);
        let zone = self.time_zone.parse::<chrono_tz::Tz>();
        let zone = mistakes.note("time_zone", "admin-refusal-zone", zone);
        Some(VenueDetails { name: name?, address: address?, time_zone: zone?.name().to_owned() })
    }

    fn parse(&self) -> Result<VenueDetails, Mistakes> {
        let mut mistakes = Mistakes::default();
        let details = self.read(&mut mistakes);
        mistakes.or(details)
    }

    fn parse_edit(&self) -> Result<(i64, VenueDetails, VenueNotice), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let details = self.read(&mut mistakes);
        let kept = match self.kept.is_empty() {
            true => Some(None),
            false => self.kept.parse().map(Some),
        };
        let kept = mistakes.note("kept", "admin-refusal-kept", kept);
        let elsewhere = mistakes.note("elsewhere", "admin-refusal-flag", self.elsewhere.flag());
        let words = self.words.parse(&mut mistakes, "admin-refusal-words");
        let notice = kept.zip(elsewhere).zip(words);
        let notice =
            notice.map(|((kept, is_elsewhere), words)| VenueNotice { kept, is_elsewhere, words });
        let edit = version.zip(details).zip(notice);
        mistakes.or(edit.map(|((version, details), notice)| (version, details, notice)))
    }

    /// Whether it is to be another place, as typed.
    fn is_elsewhere(&self) -> bool {
        self.elsewhere.flag() == Some(true)
    }
}

#[derive(Template)]
#[template(path = "admin/venue.html")]
struct VenuePage {
    v: View,
    edition: Option<VenueEdition>,
    drawing: Option<PlanDrawing>,
    form: VenueForm,
    /// Accounts that a change of the venue concerns.
    concerned: Concerned,
    /// The plan as it was typed, where it was refused.
    plan_form: PlanForm,
    refusal: FormRefusal,
    /// What is asked before another time zone is saved.
    question: Option<ZoneQuestion>,
    plan_refusal: FormRefusal,
}

impl VenuePage {
    fn new(v: View) -> Self {
        let form = VenueForm { time_zone: Field::of(times::home().name()), ..VenueForm::default() };
        Self {
            v,
            edition: None,
            drawing: None,
            form,
            concerned: Concerned::default(),
            plan_form: PlanForm::default(),
            refusal: FormRefusal::default(),
            question: None,
            plan_refusal: FormRefusal::default(),
        }
    }

    async fn of(app: &App, v: View, id: VenueId) -> Result<Self, PageError> {
        let edition = find_venue(&app.db, id).await?.ok_or(NotFound)?;
        let drawing = match usize::try_from(edition.seats) {
            Ok(0..=DRAWN_MAX) => PlanDrawing::of(&list_seats(&app.db, id).await?),
            _ => None,
        };
        let (form, concerned) =
            (VenueForm::of(&edition), count_concerned(&app.db, Whose::Venue(id)).await?);
        Ok(Self { edition: Some(edition), drawing, form, concerned, ..Self::new(v) })
    }

    fn action(&self) -> String {
        match &self.edition {
            Some(edition) => venue_path(edition.id),
            None => "/admin/venues".to_owned(),
        }
    }

    fn refused(self, refusal: FormRefusal) -> HttpResponse {
        let page = Self { refusal, ..self };
        page.v.html(page.refusal.status(), &page)
    }
}

fn venue_path(id: VenueId) -> String {
    format!("/admin/venues/{id}")
}

/// `GET /admin/venues/new`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn new_venue(me: AdminAccount) -> HttpResponse {
    let page = VenuePage::new(me.view);
    page.v.html(StatusCode::OK, &page)
}

/// `POST /admin/venues`
pub async fn create_venue(
    app: Data<App>,
    me: AdminAccount,
    Body(form): Body<VenueForm>,
) -> Result<HttpResponse, PageError> {
    let made = match form.parse() {
        Ok(details) => Ok(venues::create(&app, me.account_id, &details).await?),
        Err(mistakes) => Err(mistakes.into()),
    };
    let done = |v: &View, made: VenueEdition| {
        let answer = v.done(StatusCode::CREATED, &made, &venue_path(made.id));
        with_message(answer, "flash-admin-saved")
    };
    let page = async |v, refusal| Ok(VenuePage { form, ..VenuePage::new(v) }.refused(refusal));
    me.view.answer(made, done, page).await
}

/// Venue.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VenueDocument<'a> {
    venue: Option<&'a VenueEdition>,
    /// Accounts that a change of it would concern.
    concerned: &'a Concerned,
}

/// `GET /admin/venues/{id}`
pub async fn show_venue(
    app: Data<App>,
    me: AdminAccount,
    id: Path<VenueId>,
) -> Result<HttpResponse, PageError> {
    let page = VenuePage::of(&app, me.view, *id).await?;
    let document = VenueDocument { venue: page.edition.as_ref(), concerned: &page.concerned };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/venues/{id}`
pub async fn update_venue(
    app: Data<App>,
    me: AdminAccount,
    id: Path<VenueId>,
    Body(form): Body<VenueForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (version, details, notice) = form.parse_edit()?;
        Ok(venues::update(&app, me.account_id, *id, version, (&details, &notice)).await?)
    }
    .await;
    let page = async |v, refusal: FormRefusal| {
        let mut page = VenuePage::of(&app, v, *id).await?;
        page.question = refusal.find().and_then(AdminError::zone_question).cloned();
        // A form without a mistake gets the newest version, and can be sent again.
        let shown = page.form.version;
        let version = if refusal.mistakes.is_empty() { shown } else { form.version.clone() };
        page.form = VenueForm { version, ..form };
        Ok(page.refused(refusal))
    };
    me.view.answer(outcome, |v, done| saved(v, &done, &venue_path(*id)), page).await
}

/// `POST /admin/venues/{id}/deletion`
pub async fn create_deletion(
    app: Data<App>,
    me: AdminAccount,
    id: Path<VenueId>,
    Body(form): Body<VersionForm>,
) -> Result<HttpResponse, PageError> {
    let v = me.view;
    let outcome = venues::delete(&app, me.account_id, *id, form.parse()?).await;
    match v.or_refusal(outcome.map_err(PageError::from))? {
        Ok(()) => {
            let done = v.done(StatusCode::OK, &DeletedDocument { deleted: *id }, "/admin/venues");
            Ok(with_message(done, "flash-admin-deleted"))
        }
        Err(refusal) if refusal.status() == StatusCode::NOT_FOUND => Err(refusal.into()),
        Err(refusal) => Ok(VenuePage::of(&app, v, *id).await?.refused(refusal)),
    }
}

/// Seat plan from above: one dot per seat.
#[derive(Debug)]
pub struct PlanDrawing {
    pub view_box: String,
    pub dots: Vec<(f32, f32)>,
    /// Letters of the marked kinds, where their seats are.
    pub signs: Vec<(f32, f32, char)>,
}

/// Returns the letter of a marked kind in the drawing.
pub(crate) fn sign_of(kind: SeatKind) -> Option<char> {
    kind.mark().and(kind.as_ref().chars().next())
}

impl PlanDrawing {
    fn of(seats: &[PlannedSeat]) -> Option<Self> {
        if seats.is_empty() || seats.len() > DRAWN_MAX {
            return None;
        }
        let dots: Vec<(f32, f32)> = seats.iter().map(|seat| (seat.x, seat.y)).collect();
        let range = |pick: fn(&(f32, f32)) -> f32| {
            let values = dots.iter().map(pick);
            values.fold((f32::MAX, f32::MIN), |(min, max), value| (min.min(value), max.max(value)))
        };
        let ((left, right), (front, back)) = (range(|dot| dot.0), range(|dot| dot.1));
        let (width, height) = (right - left + 2.0, back - front + 2.0);
        let view_box = format!("{} {} {width} {height}", left - 1.0, front - 1.0);
        let signs = seats.iter().filter_map(|seat| Some((seat.x, seat.y, sign_of(seat.kind)?)));
        Some(Self { view_box, signs: signs.collect(), dots })
    }
}
