//! Files of a reservation's tickets, as a mail carries them.

use chrono::{DateTime, Utc};

use super::{
    calendar::CalendarEntry,
    error::PdfError,
    model::{Ticket, TicketStatus},
    pdf::{self, Paper},
    store,
};
use crate::{app::App, reservation::ReservationId, text::i18n::Locale};

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
    let valid: Vec<Ticket> =
        tickets.iter().filter(|ticket| ticket.status == TicketStatus::Valid).cloned().collect();
    let office = app.office.settings();
    let entry = CalendarEntry::of_reservation((&app.config, &office), &valid, locale);
    let entry = entry.map(|entry| TicketFile {
        name: "event.ics",
        media_type: "text/calendar; charset=utf-8; method=PUBLISH",
        content: entry.file(now).into_bytes(),
    });
    let pdf = pdf::make(&tickets, None, Paper::OneTicket, locale, office.name()).await?;
    let pdf = pdf.map(|content| TicketFile {
        name: pdf::FILE_NAME,
        media_type: "application/pdf",
        content,
    });
    Ok(pdf.into_iter().chain(entry).collect())
}
