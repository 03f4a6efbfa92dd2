//! Seat plan pages of a venue: typed or uploaded, previewed, saved, and saved to a file.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    DRAWN_MAX, PlanDrawing, VenuePage,
    plan_form::{PlanForm, PlanText},
    sign_of, venue_path,
};
use crate::{
    accounts::AdminAccount,
    admin::{
        AdminError,
        pages::saved,
        schedules::telling::Concerned,
        venues::{
            moved_seats,
            saving::{self, Answered, PlanSave, SaveId, SaveState},
        },
    },
    app::App,
    catalog::{
        SeatKind, SeatPlan, SeatsWritten, VenueEdition, VenueId, find_venue, list_seats,
        schedules::store::FULL_REFUND_DAYS,
    },
    text::charset::Charset,
    web::{
        error::{NotFound, PageError},
        files::download::whole_csv,
        form::{Body, FormRefusal},
        middleware::deadline::Running,
        page::{View, see_other},
    },
};

#[derive(Template)]
#[template(path = "admin/plan.html")]
struct PlanPage {
    v: View,
    edition: VenueEdition,
    version: i64,
    plan: SeatPlan,
    drawing: Option<PlanDrawing>,
    /// How often a seat that the plan draws elsewhere is held or sold.
    moved: i64,
    /// Accounts that have one.
    concerned: Concerned,
    /// Form that was sent; its text is sent again to be saved, so that the same plan is parsed of it.
    form: PlanForm,
}

/// Number of seats from which on the page says that saving takes a while.
const SLOW_SEATS_MIN: usize = 10_000;

impl PlanPage {
    /// Returns the charset of the file, if it is another one than UTF-8.
    fn other_charset(&self) -> Option<Charset> {
        Some(self.form.charset()).filter(|charset| *charset != Charset::Utf8)
    }

    fn is_slow(&self) -> bool {
        self.plan.seats().len() >= SLOW_SEATS_MIN
    }

    /// Returns the letter and the name of a marked kind.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from the template")]
    fn kind_name(&self, kind: &SeatKind) -> String {
        let name = kind.text_key().map(|key| self.v.text(key).to_string()).unwrap_or_default();
        format!("{} {name}", sign_of(*kind).unwrap_or_default())
    }
}

/// `GET /admin/venues/{id}/seats.csv`: the saved plan, in the form in which it is read.
pub async fn show_seats(
    app: Data<App>,
    _me: AdminAccount,
    id: Path<VenueId>,
) -> Result<HttpResponse, PageError> {
    find_venue(&app.db, *id).await?.ok_or(NotFound)?;
    let plan = SeatPlan::of(list_seats(&app.db, *id).await?);
    whole_csv("seats", plan.records())
}

/// Size of a seat plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanDocument<'a> {
    /// Number of seats.
    seats: usize,
    /// Sections, each with its number of seats.
    sections: Vec<(&'a str, usize)>,
    /// Marked kinds, each with its number of seats.
    kinds: Vec<(SeatKind, usize)>,
    /// Price categories, each with its number of seats, the frontmost first.
    categories: Vec<(&'a str, u32)>,
    /// Charset in which the text was read: `UTF-8`, `UTF-16` or `CP949`.
    charset: &'a str,
    /// How often a seat that the plan draws elsewhere is held or sold for a performance that is still to come.
    moved: i64,
    /// Accounts that have such a seat, counted.
    concerned: &'a Concerned,
}

/// `POST /admin/venues/{id}/seats/preview`: shows the plan; nothing is saved.
pub async fn preview_seats(
    app: Data<App>,
    me: AdminAccount,
    id: Path<VenueId>,
    Body(form): Body<PlanForm>,
) -> Result<HttpResponse, PageError> {
    let edition = find_venue(&app.db, *id).await?.ok_or(NotFound)?;
    let (form, parsed) = form.parse_aside().await?;
    let (version, plan) = match me.view.or_refusal(parsed.map_err(PageError::from))? {
        Ok(parsed) => parsed,
        Err(refusal) => return refused(&app, me.view, *id, form, refusal).await,
    };
    let (drawing, charset) = (PlanDrawing::of(plan.seats()), form.charset());
    let (moved, concerned) = moved_seats::count(&app.db, *id, &plan).await?;
    let page = PlanPage { v: me.view, edition, version, plan, drawing, moved, concerned, form };
    let document = PlanDocument {
        seats: page.plan.seats().len(),
        sections: page.plan.sections(),
        kinds: page.plan.kinds(),
        categories: page.plan.categories(),
        charset: charset.as_ref(),
        moved: page.moved,
        concerned: &page.concerned,
    };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/venues/{id}/seats`: programs wait for the end; a browser whose save takes long gets the
/// address of a page with its progress.
pub async fn update_seats(
    app: Data<App>,
    me: AdminAccount,
    running: Data<Running>,
    id: Path<VenueId>,
    Body(form): Body<PlanForm>,
) -> Result<HttpResponse, PageError> {
    let (form, parsed) = form.parse_aside().await?;
    let outcome = async {
        let notice = form.notice()?;
        let (version, plan) = parsed?;
        let save = (PlanSave { by: me.account_id, venue_id: *id, version, notice }, plan);
        if me.view.format.is_for_programs() {
            let venue = saving::replace_seats(&app, save, &SeatsWritten::default()).await?;
            return Ok(Answered::Ended(venue));
        }
        let view = me.view.clone();
        let explained = move |refusal: &AdminError| view.refusal(refusal);
        Ok(saving::save(&app, running.0.token(), save, explained).await?)
    }
    .await;
    let done = |v: &View, answered| match answered {
        Answered::Ended(venue) => saved(v, &venue, &venue_path(*id)),
        Answered::Later(save_id) => {
            see_other(&format!("{}/seats/saves/{save_id}", venue_path(*id)))
        }
    };
    let page = async |v, refusal| refused(&app, v, *id, form, refusal).await;
    me.view.answer(outcome, done, page).await
}

#[derive(Template)]
#[template(path = "admin/plan_save.html")]
struct PlanSavePage {
    v: View,
    edition: VenueEdition,
    state: SaveState,
}

impl PlanSavePage {
    fn goes_on(&self) -> bool {
        matches!(self.state, SaveState::GoesOn { .. })
    }
}

/// `GET /admin/venues/{id}/seats/saves/{save_id}`: the progress of a save, or its end.
pub async fn show_save(
    app: Data<App>,
    me: AdminAccount,
    ids: Path<(VenueId, SaveId)>,
) -> Result<HttpResponse, PageError> {
    let (venue_id, save_id) = ids.into_inner();
    let edition = find_venue(&app.db, venue_id).await?.ok_or(NotFound)?;
    let state = saving::find(&app, venue_id, save_id).await;
    let page = PlanSavePage { v: me.view, edition, state };
    Ok(page.v.show(&page, &page.state))
}

/// Answers a refused plan: the venue's page with the typed plan and the line at fault.
async fn refused(
    app: &App,
    v: View,
    id: VenueId,
    plan_form: PlanForm,
    plan_refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let page = VenuePage { plan_form, plan_refusal, ..VenuePage::of(app, v, id).await? };
    Ok(page.v.html(page.plan_refusal.status(), &page))
}
