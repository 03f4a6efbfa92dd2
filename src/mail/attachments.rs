//! Files that a mail carries, made when it is sent. They are not stored.

use crate::{
    app::App,
    outbox::{Message, StoredMail},
    reservation::ReservationId,
    tickets::{self, TicketFile},
};

/// Size of all files of a mail, in bytes. Many mail servers refuse mails above ten megabytes, and
/// base64 makes four bytes of three.
const BYTES_MAX: usize = 5 * 1024 * 1024;

/// Returns the files of a mail. Files that cannot be made, or are too large together, are left out:
/// the mail has a link to its tickets, and waits for no file.
pub(super) async fn make(app: &App, mail: &StoredMail) -> Vec<TicketFile> {
    let (locale, now) = (mail.locale, mail.created_at);
    let made = match mail.message {
        Some(Message::ReservationPaid { reservation_id }) => {
            tickets::files_of(app, ReservationId(reservation_id), locale, now).await
        }
        Some(Message::TicketsAgain { schedule_id }) => {
            let whose = (mail.recipient.as_str(), schedule_id);
            tickets::files_of_holder(app, whose, locale, now).await
        }
        // An account that has another address by now gets no file at the old one.
        Some(
            Message::PerformanceMoved { schedule_id, is_waiting: false, .. }
            | Message::PerformanceChanged { schedule_id, is_waiting: false, .. },
        ) => {
            let whose = (mail.recipient.as_str(), schedule_id);
            let entries = tickets::calendar_of_holder(app, whose, locale, now).await;
            entries.map(|file| file.into_iter().collect())
        }
        // What the tickets came with: the calendar takes it out, or leaves out one of its seats.
        Some(
            Message::ProgramCancelled { reservation_id, .. }
            | Message::ReservationRefunded { reservation_id, .. },
        ) => {
            let entry =
                tickets::calendar_of_order(app, ReservationId(reservation_id), locale, now).await;
            entry.map(|file| file.into_iter().collect())
        }
        Some(Message::TicketsExchanged { from_id, .. }) => {
            let entry = tickets::calendar_of_order(app, ReservationId(from_id), locale, now).await;
            entry.map(|file| file.into_iter().collect())
        }
        Some(Message::TicketVoided { ticket_id }) => {
            let entry = tickets::calendar_of_ticket(app, ticket_id, locale, now).await;
            entry.map(|file| file.into_iter().collect())
        }
        Some(Message::TicketSold { return_id } | Message::TicketRefunded { return_id, .. }) => {
            let entry = tickets::calendar_of_return(app, return_id, locale, now).await;
            entry.map(|file| file.into_iter().collect())
        }
        _ => return Vec::new(),
    };
    match made {
        Ok(files) if size_of(&files) <= BYTES_MAX => files,
        Ok(files) => {
            let bytes = size_of(&files);
            tracing::warn!(bytes, "the files of a mail are too large: it goes without");
            Vec::new()
        }
        Err(error) => {
            tracing::warn!(%error, "the files of a mail are missing: it goes without");
            Vec::new()
        }
    }
}

fn size_of(files: &[TicketFile]) -> usize {
    files.iter().map(|file| file.content.len()).sum()
}
