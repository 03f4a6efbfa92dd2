//! Pages of an account's tickets, one ticket and its QR code.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::{
    calendar::CalendarEntry,
    model::{Ticket, TicketCode, TicketStatus},
    pdf, store,
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    infra::postgres::page::{After, Page},
    points::Points,
    reservation::ReservationId,
    text::i18n::Phrase,
    web::{
        error::{Internal, NotFound, PageError},
        page::View,
        qr_code::{self, Repair},
    },
};

/// Path of the list of an account's tickets.
pub(crate) const TICKETS_PATH: &str = "/tickets";

/// JSON form of a ticket.
#[derive(Serialize)]
struct TicketDocument<'a> {
    code: &'a TicketCode,
    status: TicketStatus,
    used_at: Option<DateTime<Utc>>,
    reservation_id: ReservationId,
    title: &'a str,
    starts_at: DateTime<Utc>,
    venue: &'a str,
    section: Option<&'a str>,
    row: Option<&'a str>,
    number: Option<i32>,
    zone: Option<&'a str>,
    price: Points,
}

impl Ticket {
    fn document(&self) -> TicketDocument<'_> {
        TicketDocument {
            code: &self.code,
            status: self.status,
            used_at: self.used_at,
            reservation_id: self.reservation_id,
            title: &self.title,
            starts_at: self.starts_at,
            venue: &self.venue,
            section: self.section.as_deref(),
            row: self.row_label.as_deref(),
            number: self.number,
            zone: self.zone.as_deref(),
            price: self.price,
        }
    }

    /// Returns the name of the seat or the zone, in the language of a page.
    fn place_on(&self, v: &View) -> Phrase {
        self.place(v.locale)
    }
}

#[derive(Template)]
#[template(path = "tickets/list.html")]
struct TicketListPage {
    v: View,
    /// Upcoming tickets, then past ones; empty groups are left out.
    groups: Vec<Group>,
    next: Option<Uuid>,
}

struct Group {
    text_key: &'static str,
    tickets: Vec<Ticket>,
}

/// Handles `GET /tickets`.
pub(crate) async fn list_tickets(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let rows = store::list_tickets(&app.db, me.account_id, None, query.after).await?;
    let page = Page::cut(rows, |ticket| ticket.id.0);
    if me.view.format.is_for_programs() {
        let tickets: Vec<_> = page.rows.iter().map(Ticket::document).collect();
        let document = json!({ "tickets": tickets, "next": page.next });
        return Ok(crate::web::page::json(StatusCode::OK, &document));
    }
    let now = app.now();
    let (mut upcoming, past): (Vec<_>, Vec<_>) =
        page.rows.into_iter().partition(|ticket| ticket.starts_at > now);
    upcoming.sort_by_key(|ticket| (ticket.starts_at, ticket.id));
    let groups = [("ticket-list-upcoming", upcoming), ("ticket-list-past", past)];
    let groups = groups.into_iter().filter(|(_, tickets)| !tickets.is_empty());
    let groups = groups.map(|(text_key, tickets)| Group { text_key, tickets }).collect();
    let page = TicketListPage { v: me.view, groups, next: page.next };
    Ok(page.v.html(StatusCode::OK, &page))
}

#[derive(Template)]
#[template(path = "tickets/show.html")]
struct TicketPage {
    v: View,
    ticket: Ticket,
    /// Position among the reservation's tickets, from 1.
    index: usize,
    total: usize,
    previous: Option<TicketCode>,
    next: Option<TicketCode>,
}

/// Returns the ticket of the signed-in account that the path names.
async fn own_ticket(app: &App, me: &CurrentAccount, path: &str) -> Result<Ticket, PageError> {
    let code: TicketCode = path.parse().ok().ok_or(NotFound)?;
    let mut found = store::list_tickets(&app.db, me.account_id, Some(&code), None).await?;
    Ok(found.pop().ok_or(NotFound)?)
}

/// Handles `GET /tickets/{code}`.
pub(crate) async fn show_ticket(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(&app, &me, &path).await?;
    let codes = store::list_codes(&app.db, ticket.reservation_id).await?;
    let position = codes.iter().position(|other| *other == ticket.code).unwrap_or_default();
    let neighbour = |idx: Option<usize>| idx.and_then(|idx| codes.get(idx)).cloned();
    let page = TicketPage {
        v: me.view,
        index: position + 1,
        total: codes.len(),
        previous: neighbour(position.checked_sub(1)),
        next: neighbour(position.checked_add(1)),
        ticket,
    };
    Ok(page.v.show(&page, &page.ticket.document()))
}

/// Handles `GET /tickets/{code}.svg`.
pub(crate) async fn show_qr_code(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let code: TicketCode = path.parse().ok().ok_or(NotFound)?;
    if !store::is_owned(&app.db, me.account_id, &code).await? {
        return Err(NotFound.into());
    }
    // A quarter of it may be covered or dirty at the door.
    let drawing = qr_code::draw(code.as_str(), Repair::Quarter).ok_or(Internal)?;
    Ok(qr_code::answer(drawing))
}

/// Handles `GET /tickets/{code}.ics`.
pub(crate) async fn show_calendar(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(&app, &me, &path).await?;
    let entry = CalendarEntry::of_ticket(&app, &ticket, me.view.locale);
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/calendar; charset=utf-8"))
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"ticket.ics\""))
        .body(entry.file(app.now())))
}

/// Handles `GET /tickets/{code}.pdf`.
pub(crate) async fn show_pdf(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(&app, &me, &path).await?;
    let tickets = store::list_of_reservation(&app.db, ticket.reservation_id).await?;
    let file = pdf::make(&tickets, Some(&ticket.code), me.view.locale).await?;
    pdf_file(file)
}

/// Handles `GET /reservations/{id}/tickets.pdf`.
pub(crate) async fn show_reservation_pdf(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    let tickets = store::list_of_reservation(&app.db, ReservationId(path.into_inner())).await?;
    if tickets.iter().any(|ticket| ticket.account_id != me.account_id) {
        return Err(NotFound.into());
    }
    let file = pdf::make(&tickets, None, me.view.locale).await?;
    pdf_file(file)
}

/// Answers with a file; without one, with 404, as for tickets that do not exist.
fn pdf_file(file: Option<Vec<u8>>) -> Result<HttpResponse, PageError> {
    let file = file.ok_or(NotFound)?;
    let name = format!("attachment; filename=\"{}\"", pdf::FILE_NAME);
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/pdf"))
        .insert_header((header::CONTENT_DISPOSITION, name))
        .body(file))
}
