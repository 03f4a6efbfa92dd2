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
    let Some(Message::ReservationPaid { reservation_id }) = mail.message else {
        return Vec::new();
    };
    let reservation_id = ReservationId(reservation_id);
    let made = tickets::files_of(app, reservation_id, mail.locale, mail.created_at).await;
    match made {
        Ok(files) if size_of(&files) <= BYTES_MAX => files,
        Ok(files) => {
            let bytes = size_of(&files);
            tracing::warn!(%reservation_id, bytes, "the files are too large: the mail goes without");
            Vec::new()
        }
        Err(error) => {
            tracing::warn!(%reservation_id, %error, "the files are missing: the mail goes without");
            Vec::new()
        }
    }
}

fn size_of(files: &[TicketFile]) -> usize {
    files.iter().map(|file| file.content.len()).sum()
}
