//! Files of a reservation's tickets, as a mail carries them.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{
    calendar::{CalendarEntry, file_of},
    error::PdfError,
    model::{Ticket, TicketId, TicketStatus},
    pdf::{self, Issuer, Paper},
    store,
};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::postgres::Pool,
    reservation::{ReservationId, ReturnId},
    text::{i18n::Locale, prices::PriceUnit},
};

/// File with its name and its media type.
#[derive(Clone, Debug)]
pub struct TicketFile {
    pub name: &'static str,
    pub media_type: &'static str,
    pub content: Vec<u8>,
}

/// Reason why a file is missing.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The PDF file was not made.
    #[error("the PDF file of the tickets was not made: {0}")]
    Pdf(#[from] PdfError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Returns the PDF file and the calendar entry of the valid tickets that the owner of a reservation
/// holds, stamped `now`; no file if there is no such ticket. The same tickets and stamp give the
/// same bytes.
pub async fn files_of(
    app: &App,
    reservation_id: ReservationId,
    locale: Locale,
    now: DateTime<Utc>,
) -> Result<Vec<TicketFile>, FileError> {
    let mut tickets = store::list_of_reservation(&app.db, reservation_id).await?;
    tickets.retain(|ticket| !ticket.is_handed_over());
    files(app, tickets, locale, now).await
}

/// Returns the PDF file and the calendar entries of the valid tickets that the account with the address `email` holds
/// for a performance, like [`files_of`].
pub async fn files_of_holder(
    app: &App,
    whose: (&str, Uuid),
    locale: Locale,
    now: DateTime<Utc>,
) -> Result<Vec<TicketFile>, FileError> {
    let tickets = list_valid(&app.db, whose).await?;
    files(app, tickets, locale, now).await
}

async fn files(
    app: &App,
    tickets: Vec<Ticket>,
    locale: Locale,
    now: DateTime<Utc>,
) -> Result<Vec<TicketFile>, FileError> {
    let office = app.office.settings();
    let prices = PriceUnit::of(&app.config.payment);
    let issuer = Issuer { office: office.name(), locale, prices };
    let pdf = pdf::make(&tickets, None, Paper::OneTicket, issuer).await?;
    let pdf = pdf.map(|content| TicketFile {
        name: pdf::FILE_NAME,
        media_type: "application/pdf",
        content,
    });
    Ok(pdf.into_iter().chain(calendar_file(app, tickets, locale, now)).collect())
}

/// Returns the calendar entries of the valid tickets that the account with the address `email` holds for a
/// performance, stamped `now`, in one file; `None` without such a ticket. They have the ids of the entries that
/// came with the tickets, and later revisions.
pub async fn calendar_of_holder(
    app: &App,
    whose: (&str, Uuid),
    locale: Locale,
    now: DateTime<Utc>,
) -> Result<Option<TicketFile>, FileError> {
    Ok(calendar_file(app, list_valid(&app.db, whose).await?, locale, now))
}

/// Returns the entry of a reservation's tickets that its owner holds, stamped `now`, a cancelled one where all are void;
/// `None` without a ticket. It has the id of the entry that came with the tickets, and a later revision.
pub async fn calendar_of_order(
    app: &App,
    reservation_id: ReservationId,
    locale: Locale,
    now: DateTime<Utc>,
) -> Result<Option<TicketFile>, FileError> {
    let mut tickets = store::list_of_reservation(&app.db, reservation_id).await?;
    tickets.retain(|ticket| !ticket.is_handed_over());
    let office = app.office.settings();
    let entry = CalendarEntry::of_reservation((&app.config, &office), &tickets, locale);
    Ok(entry.map(|entry| entries_file(&[entry], now)))
}

/// Returns the entry that has the place of a ticket, of its order or its own, like [`calendar_of_order`].
pub async fn calendar_of_ticket(
    app: &App,
    ticket_id: Uuid,
    locale: Locale,
    now: DateTime<Utc>,
) -> Result<Option<TicketFile>, FileError> {
    let Some(ticket) = store::find_by_id(&app.db, TicketId(ticket_id)).await? else {
        return Ok(None);
    };
    if !ticket.is_handed_over() {
        return calendar_of_order(app, ticket.reservation_id, locale, now).await;
    }
    let office = app.office.settings();
    let entry = CalendarEntry::of_ticket((&app.config, &office), &ticket, locale);
    Ok(Some(entries_file(&[entry], now)))
}

/// Returns the entry of the order whose place was sold or given back by a return, like [`calendar_of_order`].
pub async fn calendar_of_return(
    app: &App,
    return_id: Uuid,
    locale: Locale,
    now: DateTime<Utc>,
) -> Result<Option<TicketFile>, FileError> {
    match store::find_returned(&app.db, ReturnId(return_id)).await? {
        Some(ticket_id) => calendar_of_ticket(app, ticket_id.0, locale, now).await,
        None => Ok(None),
    }
}

/// Lists the valid tickets that the account with the address `email` holds for a performance, in the order of issue, at
/// most a thousand.
pub async fn list_valid(
    db: &Pool,
    (email, schedule_id): (&str, Uuid),
) -> Result<Vec<Ticket>, sqlx::Error> {
    let mut tickets = store::list_of_holder(db, email, ScheduleId(schedule_id)).await?;
    tickets.retain(|ticket| ticket.status == TicketStatus::Valid);
    Ok(tickets)
}

/// Returns the entries of the valid ones of `tickets`: one for each reservation, and one for each ticket that was
/// received; `None` without one.
fn calendar_file(
    app: &App,
    mut tickets: Vec<Ticket>,
    locale: Locale,
    now: DateTime<Utc>,
) -> Option<TicketFile> {
    tickets.retain(|ticket| ticket.status == TicketStatus::Valid);
    let (received, mut bought): (Vec<Ticket>, Vec<Ticket>) =
        tickets.into_iter().partition(Ticket::is_handed_over);
    bought.sort_by_key(|ticket| ticket.reservation_id.0);
    let office = app.office.settings();
    let of = (&*app.config, &*office);
    let orders = bought.chunk_by(|left, right| left.reservation_id == right.reservation_id);
    let orders = orders.filter_map(|order| CalendarEntry::of_reservation(of, order, locale));
    let received = received.iter().map(|ticket| CalendarEntry::of_ticket(of, ticket, locale));
    let entries: Vec<CalendarEntry> = orders.chain(received).collect();
    (!entries.is_empty()).then(|| entries_file(&entries, now))
}

fn entries_file(entries: &[CalendarEntry], now: DateTime<Utc>) -> TicketFile {
    TicketFile {
        name: "event.ics",
        media_type: "text/calendar; charset=utf-8; method=PUBLISH",
        content: file_of(entries, now).into_bytes(),
    }
}
