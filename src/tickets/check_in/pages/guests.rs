//! Search for a guest of a performance at its door: the seat, and whether the guest is in.
//!
//! The name is sent in the body, so that no browser history or proxy log keeps it in an address.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::place_name;
use crate::{
    accounts::StaffAccount,
    app::App,
    catalog::ScheduleId,
    infra::postgres::page::Page,
    text::times,
    tickets::{
        check_in::{
            model::{Evening, Guest, GuestSearch},
            search, store,
        },
        model::TicketId,
    },
    web::{
        error::{NotFound, PageError},
        form::{Body, Field},
        page::View,
    },
};

#[derive(Template)]
#[template(path = "tickets/guests.html")]
struct GuestsPage {
    v: View,
    evening: Evening,
    /// Typed text; empty before the first search.
    typed: String,
    guests: Page<Guest>,
}

impl GuestsPage {
    /// Returns the name of the seat, with its kind, or of the zone.
    fn place(&self, guest: &Guest) -> String {
        place_name(&self.v, (&guest.section, guest.row.as_ref(), guest.number), guest.kind)
    }

    /// Returns when the guest was let in; `None` before that.
    fn let_in_at(&self, guest: &Guest) -> Option<String> {
        let at = guest.used_at?;
        Some(times::time_of_day(at, times::zone(&self.evening.time_zone)))
    }
}

/// Form of a search.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GuestForm {
    /// Part of a name, or the number of a reservation.
    q: Field,
    /// Last ticket of the page before.
    after: Field,
}

/// Performance whose guests are searched.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestSearchDocument<'a> {
    performance: &'a Evening,
}

/// Handles `GET /door/{schedule_id}/guests`.
pub async fn new_search(
    app: Data<App>,
    me: StaffAccount,
    id: Path<ScheduleId>,
) -> Result<HttpResponse, PageError> {
    let evening = evening_of(&app, *id).await?;
    let guests = Page { rows: Vec::new(), next: None };
    let page = GuestsPage { v: me.view, evening, typed: String::new(), guests };
    let document = GuestSearchDocument { performance: &page.evening };
    Ok(page.v.show(&page, &document))
}

/// Page of guests.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestsDocument<'a> {
    guests: &'a [Guest],
    next: Option<Uuid>,
}

/// Handles `POST /door/{schedule_id}/guests`: finds guests by a part of the name, or by the number
/// of their reservation.
pub async fn create_search(
    app: Data<App>,
    me: StaffAccount,
    id: Path<ScheduleId>,
    Body(form): Body<GuestForm>,
) -> Result<HttpResponse, PageError> {
    let evening = evening_of(&app, *id).await?;
    let typed = form.q.text().trim().to_owned();
    let guests = match GuestSearch::parse(&typed, form.after.parse().map(TicketId)) {
        Some(wanted) => search(&app, me.account_id, evening.schedule_id, &wanted).await?,
        None => Page { rows: Vec::new(), next: None },
    };
    let page = GuestsPage { v: me.view, evening, typed, guests };
    let document = GuestsDocument { guests: &page.guests.rows, next: page.guests.next };
    Ok(page.v.show(&page, &document))
}

async fn evening_of(app: &App, schedule_id: ScheduleId) -> Result<Evening, PageError> {
    let mut found = store::list_evenings(&app.db, app.now(), Some(schedule_id)).await?;
    Ok(found.pop().ok_or(NotFound)?)
}
