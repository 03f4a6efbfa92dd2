//! What other features ask of the line, and what a person does in it.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgExecutor};

use super::{
    error::QueueError,
    model::{LiveToken, Stay, TokenStatus, queue_path},
    store,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, ProgramId},
};

fn not_admitted(program: &Program) -> QueueError {
    QueueError::NotAdmitted { queue_url: queue_path(&program.slug) }
}

/// The stay of `account_id` in `program`, for pages that only read. The live row
/// decides, not the pass.
pub async fn require_stay(
    app: &App,
    account_id: AccountId,
    program: &Program,
) -> Result<Stay, QueueError> {
    let stay = store::find_stay(&app.db, program.id, account_id).await?;
    stay.ok_or_else(|| not_admitted(program))
}

/// Locks the stay of `account_id` in `program`, in which a hold may start now.
///
/// The clock is read after the row is ours: a hold that had to wait for it cannot
/// start after the stay's end.
pub async fn lock_stay(
    tx: &mut PgConnection,
    account_id: AccountId,
    program: &Program,
) -> Result<Stay, QueueError> {
    let stay = store::lock_stay(tx, program.id, account_id).await?;
    let stay = stay.ok_or_else(|| not_admitted(program))?;
    if store::clock(tx).await? < stay.stay_ends_at { Ok(stay) } else { Err(not_admitted(program)) }
}

/// Keeps the place of a locked stay at least until `until`, the end of a hold. No new
/// hold may start later for it.
pub async fn extend_stay(
    tx: &mut PgConnection,
    stay: &Stay,
    until: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    store::write_expiry(tx, stay.token_id, until).await
}

/// Locks the place of `account_id` in the line of `program_id` that is not over.
/// Stands before `reservations` in the order of locks.
pub async fn lock_live_token(
    tx: &mut PgConnection,
    account_id: AccountId,
    program_id: ProgramId,
) -> Result<Option<LiveToken>, sqlx::Error> {
    store::lock_live_token(tx, program_id, account_id).await
}

/// Ends a stay whose last hold is paid; call [`mirror`](super::mirror()) after the
/// commit. A token that still waits is left alone: its owner gave up an earlier place,
/// kept its holds and stands in line again.
pub async fn complete(tx: &mut PgConnection, token: &LiveToken) -> Result<(), sqlx::Error> {
    if token.status == TokenStatus::Active {
        store::write_end(tx, token.id, TokenStatus::Completed).await?;
    }
    Ok(())
}

/// Whether anybody stands in the line of `program_id`; the parked do not.
pub async fn is_anybody_waiting(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
) -> Result<bool, sqlx::Error> {
    store::is_anybody_waiting(db, program_id).await
}
