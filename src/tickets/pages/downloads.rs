//! Files of tickets: the QR code, the entry for a calendar, and the sheets to print.

use actix_web::{
    HttpResponse,
    http::header,
    web::{Data, Path},
};
use uuid::Uuid;

use super::own_ticket;
use crate::{
    accounts::CurrentAccount,
    app::App,
    reservation::ReservationId,
    tickets::{
        calendar::CalendarEntry,
        model::{Ticket, TicketCode},
        pdf, store,
    },
    web::{
        error::{Internal, NotFound, PageError},
        qr_code::{self, Repair},
    },
};

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
    let file = pdf::make(&own(tickets, &me), Some(&ticket.code), me.view.locale).await?;
    pdf_file(file)
}

/// Leaves those of a reservation's tickets that the account has.
fn own(mut tickets: Vec<Ticket>, me: &CurrentAccount) -> Vec<Ticket> {
    tickets.retain(|ticket| ticket.account_id == me.account_id);
    tickets
}

/// Handles `GET /reservations/{id}/tickets.pdf`: the tickets that its owner has.
pub(crate) async fn show_reservation_pdf(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    let tickets = store::list_of_reservation(&app.db, ReservationId(path.into_inner())).await?;
    if tickets.iter().any(|ticket| ticket.owner_id != me.account_id) {
        return Err(NotFound.into());
    }
    let file = pdf::make(&own(tickets, &me), None, me.view.locale).await?;
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
