//! Venues as administrators edit them: created, edited, given seats.
//!
//! Each function is one transaction with its act in the audit log. Edits carry the version they
//! were made of.
//!
//! # Concurrency
//!
//! Two edits race for the venue's row; the loser gets [`AdminError::ChangedMeanwhile`].

pub(crate) mod pages;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    admin::edits::{Edit, commit_edit},
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    catalog::{self, SeatPlan, VenueDetails, VenueEdition, VenueId},
};

fn edit(by: AccountId, act: Act, id: VenueId, version: i64) -> Edit {
    Edit { by, act, subject: Subject::Venue, subject_id: id.to_string(), version, reason: None }
}

/// Creates a venue without seats.
pub(crate) async fn create(
    app: &App,
    by: AccountId,
    details: &VenueDetails,
) -> Result<VenueEdition, AdminError> {
    let mut tx = app.db.begin().await?;
    let venue = catalog::create_venue(&mut tx, details).await?;
    let entry = AuditEntry::new(by, Act::VenueCreated, Subject::Venue, venue.id);
    audit::commit(app, tx, entry.after(&venue)).await?;
    Ok(venue)
}

/// Edits edition `version`.
pub(crate) async fn update(
    app: &App,
    by: AccountId,
    id: VenueId,
    version: i64,
    details: &VenueDetails,
) -> Result<VenueEdition, AdminError> {
    commit_edit(app, &edit(by, Act::VenueEdited, id, version), |mut tx| async move {
        let outcome = catalog::update_venue(&mut tx, id, version, details).await;
        (tx, outcome)
    })
    .await
}

/// Replaces the seats of edition `version` by those of `plan`, all or nothing.
pub(crate) async fn replace_seats(
    app: &App,
    by: AccountId,
    id: VenueId,
    version: i64,
    plan: &SeatPlan,
) -> Result<VenueEdition, AdminError> {
    commit_edit(app, &edit(by, Act::SeatsReplaced, id, version), |mut tx| async move {
        let outcome = catalog::replace_seats(&mut tx, id, version, plan).await;
        (tx, outcome)
    })
    .await
}
