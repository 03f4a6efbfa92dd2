//! Venues as administrators edit them: created, edited, given seats.
//!
//! Each function is one transaction with its act in the audit log. Edits carry the version they
//! were made of. A save of a plan that takes long goes on without its request (`saving`), and one that draws seats
//! elsewhere which people have asks what it means (`moved_seats`).
//!
//! # Concurrency
//!
//! Two edits race for the venue's row; the loser gets [`AdminError::ChangedMeanwhile`].

mod edit;
mod moved_seats;
pub mod pages;
mod saving;
mod store;

use self::edit::VenueNotice;
pub(in crate::admin) use self::edit::changes_of;
pub use self::saving::SaveState;
use super::error::AdminError;
use crate::{
    accounts::AccountId,
    admin::edits::commit_edit,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{self, VenueDetails, VenueEdition, VenueId},
};

/// Creates a venue without seats.
pub async fn create(
    app: &App,
    by: AccountId,
    details: &VenueDetails,
) -> Result<VenueEdition, AdminError> {
    audit::perform(app, async |tx| {
        let venue = catalog::create_venue(tx, details).await?;
        let entry = AuditEntry::new(by, Act::VenueCreated, Subject::Venue, venue.id);
        let entry = entry.after(&venue);
        Ok((venue, entry))
    })
    .await
}

/// Edits edition `version`; `notice` says what its performances keep, and has the words of the mails.
pub(crate) async fn update(
    app: &App,
    by: AccountId,
    id: VenueId,
    version: i64,
    (details, notice): (&VenueDetails, &VenueNotice),
) -> Result<VenueEdition, AdminError> {
    let entry = AuditEntry::new(by, Act::VenueEdited, Subject::Venue, id);
    let edit = commit_edit(app, &entry, version, async |tx| {
        edit::update(tx, by, (id, version), details, notice).await
    });
    Ok(edit.await?.state)
}

/// Deletes edition `version` of a venue where nothing is performed.
pub async fn delete(app: &App, by: AccountId, id: VenueId, version: i64) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        let deleted = catalog::delete_venue(tx, id, version).await?;
        let entry = AuditEntry::new(by, Act::VenueDeleted, Subject::Venue, id);
        Ok(((), entry.before(&deleted)))
    })
    .await
}
