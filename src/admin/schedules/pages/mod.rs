//! Performance pages: time, kept places, prices, price types, blocks, zones.

pub mod documents;
pub mod forms;
pub mod hidden;
mod kept_places;
mod price_table;
pub mod price_types;
pub(crate) mod prices_form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use serde::Serialize;

pub use self::kept_places::update_kept_places;
use self::{
    documents::{ChangedSeats, NewZoneDocument, ScheduleEditionDocument},
    forms::{BlockForm, MomentForm, NewScheduleForm, OtherVenueForm, WantedMove, ZoneForm},
    price_table::PriceTable,
    prices_form::PricesForm,
};
use crate::{
    accounts::{
        AdminAccount,
        api_keys::pages::{ProgramsReader, ProgramsWriter},
    },
    admin::{
        AdminError,
        pages::{WordsForm, saved},
        programs::pages::{VersionForm, edition_of, program_path, refuse_beside},
        schedules::{
            self, ScheduleEdit,
            store::{WaitingList, WishRow},
            telling::{Concerned, Whose, count_concerned},
        },
    },
    app::App,
    catalog::{
        CategoryInventory, ProgramId, ScheduleEdition, ScheduleId, SectionInventory, VenueEdition,
        ZoneId, ZoneInventory, find_schedule_edition, has_prices_to_write, has_schedule_seats,
        inventory_of, list_venues, price_groups_of, schedules::store::FULL_REFUND_DAYS,
    },
    reservation::{WaitingHere, waiting_list::pages::order_in_words},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, FormRefusal, Mistakes},
        page::{DeletedDocument, View},
    },
};

#[derive(Template)]
#[template(path = "admin/schedule.html")]
struct SchedulePage {
    v: View,
    edition: ScheduleEdition,
    sections: Vec<SectionInventory>,
    categories: Vec<CategoryInventory>,
    prices: PriceTable,
    zones: Vec<ZoneInventory>,
    waiting: WaitingHere,
    /// Whether saved prices are still being written into the seats.
    is_being_priced: bool,
    waiting_list: WaitingList,
    moment: MomentForm,
    /// Venues that the performance may have instead; empty if it sells seats of its hall.
    venues: Vec<VenueEdition>,
    /// Accounts that a move would concern.
    concerned: Concerned,
    refusal: FormRefusal,
}

impl SchedulePage {
    async fn of(app: &App, v: View, id: ScheduleId) -> Result<Self, PageError> {
        let edition = find_schedule_edition(&app.db, id).await?.ok_or(NotFound)?;
        let (sections, zones) = inventory_of(&app.db, id).await?;
        let (categories, uncategorised) = price_groups_of(&app.db, id, &sections).await?;
        let prices = PriceTable::of(&categories, &uncategorised);
        let waiting = WaitingHere::count(app, id, zones.iter().map(|zone| zone.id)).await;
        let is_being_priced = has_prices_to_write(&app.db, id).await?;
        let waiting_list = WaitingList::read(&app.db, id).await?;
        let moment = MomentForm::of(&edition);
        let concerned = count_concerned(&app.db, Whose::Schedule(id)).await?;
        let mut venues = match has_schedule_seats(&app.db, id).await? {
            true => Vec::new(),
            false => list_venues(&app.db).await?,
        };
        venues.retain(|venue| venue.id != edition.venue_id);
        Ok(Self {
            v,
            edition,
            sections,
            categories,
            prices,
            zones,
            waiting,
            is_being_priced,
            waiting_list,
            moment,
            venues,
            concerned,
            refusal: FormRefusal::default(),
        })
    }

    fn order(&self, wish: &WishRow) -> String {
        order_in_words(&self.v, &wish.order)
    }
}

/// `GET /admin/schedules/{id}`
pub async fn show_schedule(
    app: Data<App>,
    me: ProgramsReader,
    id: Path<ScheduleId>,
) -> Result<HttpResponse, PageError> {
    let page = SchedulePage::of(&app, me.view, *id).await?;
    let document = ScheduleEditionDocument {
        schedule: &page.edition,
        sections: &page.sections,
        categories: &page.categories,
        zones: &page.zones,
        waiting_list: &page.waiting_list,
        waiting_for_places: &page.waiting,
        concerned: &page.concerned,
    };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/programs/{id}/schedules`
pub async fn create_schedule(
    app: Data<App>,
    me: ProgramsWriter,
    id: Path<ProgramId>,
    Body(mut form): Body<NewScheduleForm>,
) -> Result<HttpResponse, PageError> {
    let program = edition_of(&app, *id).await?;
    let parsed = form.parse(&app).await?;
    let kept = form.kept(me.view.format.is_for_programs());
    let made =
        async { Ok(schedules::create(&app, me.actor, program.id, parsed?, kept).await?) }.await;
    let done = |v: &View, made: ScheduleEdition| {
        let answer = v.done(StatusCode::CREATED, &made, &schedule_path(made.id));
        with_message(answer, "flash-admin-saved")
    };
    let page = async |v: View, refusal: FormRefusal| {
        form.asks_opening = matches!(refusal.find(), Some(AdminError::OpeningAsked(_)));
        refuse_beside(&app, v, program, form, refusal).await
    };
    me.view.answer(made, done, page).await
}

/// Returns the path of a performance's page.
fn schedule_path(id: ScheduleId) -> String {
    format!("/admin/schedules/{id}")
}

/// Answers an edit: redirects to the performance's page, or renders it with the refusal.
async fn answer<T: Serialize>(
    app: &App,
    v: View,
    id: ScheduleId,
    outcome: Result<T, PageError>,
) -> Result<HttpResponse, PageError> {
    let page = async |v, refusal| refused(app, v, id, None, refusal).await;
    v.answer(outcome, |v, done| saved(v, &done, &schedule_path(id)), page).await
}

/// Renders the performance's page with a refusal: of the time as typed, or of another form.
async fn refused(
    app: &App,
    v: View,
    id: ScheduleId,
    typed: Option<MomentForm>,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let mut page = SchedulePage::of(app, v, id).await?;
    page.refusal = match typed {
        None => refusal.in_words(&page.v),
        Some(typed) => {
            // The form keeps its own text and time zone, not the edition's.
            page.moment = typed;
            refusal.with_reasons(&page.v)
        }
    };
    Ok(page.v.html(page.refusal.status(), &page))
}

/// Carries out the edit that a form asks for, by `work`, which gets what was parsed beside the version.
async fn edit<P, T: Serialize>(
    app: &App,
    me: AdminAccount,
    id: ScheduleId,
    parsed: Result<(i64, P), Mistakes>,
    work: impl AsyncFnOnce(ScheduleEdit, P) -> Result<T, AdminError>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (version, wanted) = parsed?;
        let change = ScheduleEdit { by: me.account_id.into(), id, version };
        Ok(work(change, wanted).await?)
    }
    .await;
    answer(app, me.view, id, outcome).await
}

/// `POST /admin/schedules/{id}`
pub async fn update_schedule(
    app: Data<App>,
    me: ProgramsWriter,
    id: Path<ScheduleId>,
    Body(form): Body<MomentForm>,
) -> Result<HttpResponse, PageError> {
    let edition = find_schedule_edition(&app.db, *id).await?.ok_or(NotFound)?;
    let outcome = async {
        let (version, WantedMove { starts_at, words }) = form.parse(&edition)?;
        let change = ScheduleEdit { by: me.actor, id: *id, version };
        Ok(schedules::update(&app, change, starts_at, &words).await?)
    }
    .await;
    let page = async |v, refusal: FormRefusal| {
        let typed = (!refusal.mistakes.is_empty()).then_some(form);
        refused(&app, v, *id, typed, refusal).await
    };
    me.view.answer(outcome, |v, done| saved(v, &done, &schedule_path(*id)), page).await
}

/// `POST /admin/schedules/{id}/venue`
pub async fn update_venue(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    Body(form): Body<OtherVenueForm>,
) -> Result<HttpResponse, PageError> {
    edit(&app, me, *id, form.parse(), async |change, (venue_id, words)| {
        schedules::change_venue(&app, change, venue_id, &words).await
    })
    .await
}

/// `POST /admin/schedules/{id}/prices`
pub async fn update_prices(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    form: Body<PricesForm>,
) -> Result<HttpResponse, PageError> {
    edit(&app, me, *id, form.0.parse(), async |change, prices| {
        schedules::set_prices(&app, change, &prices).await
    })
    .await
}

/// `POST /admin/schedules/{id}/blocks`
pub async fn update_blocks(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    form: Body<BlockForm>,
) -> Result<HttpResponse, PageError> {
    edit(&app, me, *id, form.0.parse(), async |change, (pick, is_blocked)| {
        let outcome = schedules::block_seats(&app, change, &pick, is_blocked).await;
        outcome.map(|changed| ChangedSeats { changed })
    })
    .await
}

/// `POST /admin/schedules/{id}/zones`
pub async fn create_zone(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    form: Body<ZoneForm>,
) -> Result<HttpResponse, PageError> {
    edit(&app, me, *id, form.0.parse(), async |change, details| {
        let outcome = schedules::create_zone(&app, change, &details).await;
        outcome.map(|zone_id| NewZoneDocument { zone_id })
    })
    .await
}

/// `POST /admin/schedules/{id}/zones/{zone_id}`
pub async fn update_zone(
    app: Data<App>,
    me: AdminAccount,
    ids: Path<(ScheduleId, ZoneId)>,
    form: Body<ZoneForm>,
) -> Result<HttpResponse, PageError> {
    let (id, zone_id) = *ids;
    edit(&app, me, id, form.0.parse_edit(), async |change, (details, notice)| {
        let outcome = schedules::update_zone(&app, change, zone_id, &details, &notice).await;
        outcome.map(|()| details)
    })
    .await
}

/// `POST /admin/schedules/{id}/deletion`
pub async fn create_deletion(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    form: Body<VersionForm>,
) -> Result<HttpResponse, PageError> {
    let edition = find_schedule_edition(&app.db, *id).await?.ok_or(NotFound)?;
    let change = ScheduleEdit { by: me.account_id.into(), id: *id, version: form.0.parse()? };
    let done = |v: &View, ()| {
        let next = program_path(edition.program_id);
        let answer = v.done(StatusCode::OK, &DeletedDocument { deleted: *id }, &next);
        with_message(answer, "flash-admin-deleted")
    };
    let page = async |v, refusal| refused(&app, v, *id, None, refusal).await;
    let outcome = schedules::delete(&app, change).await.map_err(PageError::from);
    me.view.answer(outcome, done, page).await
}
