//! Attendees of a performance: the list, the sheet to print and the CSV file.

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{
    Taking, record,
    store::{self, Attendee, Sought},
};
use crate::{
    accounts::AdminAccount,
    admin::programs::pages::Search,
    app::{App, StaleRead},
    catalog::{ScheduleEdition, ScheduleId, find_schedule_edition},
    infra::postgres::page::{After, PAGE_ROWS, Page},
    reservation::ReservationNumber,
    text::times::{rfc3339_in, zone},
    tickets::TicketStatus,
    web::{
        error::{NotFound, PageError},
        files::download::{CHUNK_ROWS, csv},
        page::View,
    },
};

/// Columns of the CSV file.
const COLUMNS: &[&str] = &[
    "name",
    "email",
    "section",
    "row",
    "number",
    "ticket_type",
    "ticket_code_end",
    "status",
    "checked_in_at",
    "reservation",
    "ticket_id",
];

impl Attendee {
    /// Returns the name of the seat, with its kind, or of the zone.
    fn place(&self, v: &View) -> String {
        let locale = v.locale;
        let name = match (&self.row, self.number) {
            (Some(row), Some(number)) => locale
                .text("seat-name-full")
                .word("section", &self.section)
                .word("row", row)
                .word("number", number),
            _ => locale.text("reservation-standing").word("zone", &self.section),
        };
        self.kind.unwrap_or_default().with_name(name, locale)
    }

    /// Whether the attendee was let in.
    fn is_in(&self) -> bool {
        self.status == TicketStatus::Used
    }
}

/// Returns the parsed search; `None` for all attendees. Blanks within a code are left out.
fn sought(text: &str) -> Option<Sought> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let number: Option<ReservationNumber> = text.parse().ok();
    let code = text.split_whitespace().collect::<String>().to_uppercase();
    let reservations = number.map(ReservationNumber::ids);
    Some(Sought { text: text.to_lowercase(), code, reservations })
}

async fn edition_of(app: &App, id: ScheduleId) -> Result<ScheduleEdition, PageError> {
    let found = find_schedule_edition(&app.db, id).await?;
    Ok(found.ok_or(NotFound)?)
}

#[derive(Template)]
#[template(path = "admin/attendees.html")]
struct AttendeesPage {
    v: View,
    edition: ScheduleEdition,
    query: Search,
    attendees: Page<Attendee>,
}

/// Page of attendees.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AttendeesDocument<'a> {
    attendees: &'a [Attendee],
    next: Option<Uuid>,
}

/// `GET /admin/schedules/{id}/attendees`
pub async fn list_attendees(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    query: Query<Search>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let query = query.into_inner();
    let sought = sought(&query.q);
    let found =
        store::list(&app.db, edition.id, sought.as_ref(), query.after, PAGE_ROWS + 1).await?;
    let attendees = Page::cut(found, |attendee| attendee.ticket_id.0);
    let page = AttendeesPage { v: me.view, edition, query, attendees };
    let (attendees, next) = (&page.attendees.rows, page.attendees.next);
    let document = AttendeesDocument { attendees, next };
    Ok(page.v.show(&page, &document))
}

#[derive(Template)]
#[template(path = "admin/attendees_sheet.html")]
struct SheetPage {
    v: View,
    edition: ScheduleEdition,
    /// In the order of their names.
    attendees: Vec<Attendee>,
    /// Where the next sheet begins; `None` on the last.
    next: Option<Uuid>,
}

/// `GET /admin/schedules/{id}/attendees/sheet`
pub async fn show_sheet(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    record(&app, me.account_id, edition.id, Taking::Sheet).await?;
    let mut attendees = store::list(&app.db, edition.id, None, query.after, CHUNK_ROWS + 1).await?;
    // A longer list goes on on another sheet.
    let rows_max = usize::try_from(CHUNK_ROWS).unwrap_or(usize::MAX);
    let has_more = attendees.len() > rows_max;
    attendees.truncate(rows_max);
    let next = attendees.last().filter(|_| has_more).map(|attendee| attendee.ticket_id.0);
    attendees.sort_by_cached_key(|attendee| attendee.name.to_lowercase());
    let page = SheetPage { v: me.view, edition, attendees, next };
    let document = AttendeesDocument { attendees: &page.attendees, next };
    Ok(page.v.show(&page, &document))
}

/// `GET /admin/schedules/{id}/attendees.csv`
pub async fn download_attendees(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    record(&app, me.account_id, edition.id, Taking::File).await?;
    let clock = zone(&edition.time_zone);
    let day = edition.starts_at.with_timezone(&clock).date_naive();
    let id = edition.id;
    csv(&format!("attendees-{day}"), COLUMNS.iter().copied(), move |after| {
        let app = app.clone();
        async move {
            let read = |db| async move { store::list(&db, id, None, after, CHUNK_ROWS).await };
            let attendees = app.read_stale(StaleRead::Downloads, read).await?;
            let cells_of = |attendee: Attendee| {
                let reservation = attendee.reservation().to_string();
                let cells = vec![
                    attendee.name,
                    attendee.email,
                    attendee.section,
                    attendee.row.unwrap_or_default(),
                    attendee.number.map(|number| number.to_string()).unwrap_or_default(),
                    attendee.price_type.unwrap_or_default(),
                    attendee.code_end,
                    attendee.status.as_ref().to_owned(),
                    attendee.used_at.map(|at| rfc3339_in(at, clock)).unwrap_or_default(),
                    reservation,
                    attendee.ticket_id.0.to_string(),
                ];
                (attendee.ticket_id.0, cells)
            };
            Ok(attendees.into_iter().map(cells_of).collect())
        }
    })
    .await
}
