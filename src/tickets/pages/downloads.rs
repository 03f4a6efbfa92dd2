//! Files of tickets: the QR code, the entry for a calendar, and the sheets to print.

use actix_web::{
    HttpResponse,
    http::header,
    web::{Data, Path},
};

use super::own_ticket;
use crate::{
    accounts::CurrentAccount,
    app::App,
    reservation::ReservationId,
    tickets::{
        calendar::CalendarEntry,
        model::{Ticket, TicketCode},
        pdf::{self, Issuer, Paper},
        store,
    },
    web::{
        error::{Internal, NotFound, PageError},
        files::qr_code::{self, Repair},
        page::View,
    },
};

/// Handles `GET /tickets/{code}.svg`.
pub async fn show_qr_code(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let code: TicketCode = path.parse().ok().ok_or(NotFound)?;
    if !store::is_owned(&app.db, me.account_id, &code).await? {
        return Err(NotFound.into());
    }
    // A quarter of the code may be covered or dirty at the door.
    let drawing = qr_code::draw(code.as_str(), Repair::Quarter).ok_or(Internal)?;
    Ok(qr_code::answer(drawing))
}

/// Handles `GET /tickets/{code}.ics`: the entry of the ticket's whole order where the account bought it, which is the one
/// that came by mail; of the ticket alone where it was received.
pub async fn show_calendar(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(&app, &me, &path).await?;
    if !ticket.is_handed_over() {
        return show_order_calendar(&app, &me, ticket.reservation_id).await;
    }
    let entry = CalendarEntry::of_ticket((&app.config, &me.view.office), &ticket, me.view.locale);
    Ok(calendar_file(&app, &entry))
}

/// Handles `GET /tickets/{code}.pdf`.
pub async fn show_pdf(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let ticket = own_ticket(&app, &me, &path).await?;
    let tickets = store::list_of_reservation(&app.db, ticket.reservation_id).await?;
    let (tickets, issuer) = (own(tickets, &me), issuer_of(&me.view));
    pdf_file(pdf::make(&tickets, Some(&ticket.code), Paper::OneTicket, issuer).await?)
}

/// Returns the office as a page shows it.
fn issuer_of(v: &View) -> Issuer<'_> {
    Issuer { office: v.office.name(), locale: v.locale, prices: v.prices }
}

/// Keeps the tickets that the account holds.
fn own(mut tickets: Vec<Ticket>, me: &CurrentAccount) -> Vec<Ticket> {
    tickets.retain(|ticket| ticket.account_id == me.account_id);
    tickets
}

/// Reads the tickets of the account's own reservation that the account still holds.
async fn own_of_reservation(
    app: &App,
    me: &CurrentAccount,
    id: ReservationId,
) -> Result<Vec<Ticket>, PageError> {
    let tickets = store::list_of_reservation(&app.db, id).await?;
    if tickets.iter().any(|ticket| ticket.owner_id != me.account_id) {
        return Err(NotFound.into());
    }
    Ok(own(tickets, me))
}

/// Handles `GET /reservations/{id}/tickets.pdf`: the tickets that the owner holds, one a page.
pub async fn show_reservation_pdf(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    let tickets = own_of_reservation(&app, &me, *id).await?;
    pdf_file(pdf::make(&tickets, None, Paper::OneTicket, issuer_of(&me.view)).await?)
}

/// Handles `GET /reservations/{id}/tickets-a4.pdf`: the same tickets, four a page.
pub async fn show_reservation_print(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    let tickets = own_of_reservation(&app, &me, *id).await?;
    pdf_file(pdf::make(&tickets, None, Paper::FourTickets, issuer_of(&me.view)).await?)
}

/// Handles `GET /reservations/{id}/tickets.ics`: one entry for all tickets that the account holds
/// and that are not void; a cancelled one where all are.
pub async fn show_reservation_calendar(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    show_order_calendar(&app, &me, *id).await
}

async fn show_order_calendar(
    app: &App,
    me: &CurrentAccount,
    id: ReservationId,
) -> Result<HttpResponse, PageError> {
    let tickets = own(store::list_of_reservation(&app.db, id).await?, me);
    let of = (&*app.config, &*me.view.office);
    let entry = CalendarEntry::of_reservation(of, &tickets, me.view.locale);
    Ok(calendar_file(app, &entry.ok_or(NotFound)?))
}

fn calendar_file(app: &App, entry: &CalendarEntry) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/calendar; charset=utf-8"))
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"ticket.ics\""))
        .body(entry.file(app.now()))
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
