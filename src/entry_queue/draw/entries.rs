//! Entries of accounts: their state, their withdrawal, and what shows how a rank came about.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    arithmetic::leaf_hash,
    lists::ClosedLists,
    model::{Draw, DrawEntry},
    receipt::sign_receipt,
    store::entries as rows,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{DrawStep, Program, ProgramId},
    entry_queue::{
        error::QueueError,
        log::Salt,
        model::{QueueNumber, QueueState, TokenId, TokenStatus},
        state::WaitingRoom,
    },
    infra::postgres::{Connection, violated_constraint},
};

/// Constraint that refuses a change after the close.
const ENTRIES_CLOSED: &str = "queue_draw_entries_open";

/// Shortest and longest interval between two polls before the opening, in milliseconds.
const POLL_MS: std::ops::RangeInclusive<u64> = 3_000..=60_000;

/// Returns the state of an account with an entry in a draw that is not over; `None` if it has none.
pub(crate) async fn entry_state(
    app: &App,
    room: &WaitingRoom,
    program: &Program,
    account_id: AccountId,
) -> Result<Option<QueueState>, QueueError> {
    if program.draw.is_none_or(|step| step == DrawStep::Drawn) {
        return Ok(None);
    }
    if rows::find_entry(&app.db, program.id, account_id).await?.is_none() {
        return Ok(None);
    }
    Ok(Some(QueueState {
        status: TokenStatus::Draw,
        queue_number: None,
        ahead: None,
        waiting: None,
        is_paused: program.queue_paused_at.is_some(),
        announcements: program.announcements.clone(),
        estimated_wait_seconds: None,
        estimated_wait_from_seconds: None,
        estimated_wait_to_seconds: None,
        measured_at: None,
        retry_after_ms: Some(retry_after_ms(program.on_sale_at, app.now())),
        expires_at: None,
        entry_url: None,
        seats_free: room.seats_free(app, program).await?,
    }))
}

/// Returns the milliseconds until the next poll, with jitter, so that not all ask at the opening.
fn retry_after_ms(opens_at: DateTime<Utc>, now: DateTime<Utc>) -> u64 {
    let left_ms = u64::try_from((opens_at - now).num_milliseconds()).unwrap_or_default();
    let middle = left_ms.clamp(*POLL_MS.start(), *POLL_MS.end());
    middle + rand::random_range(0..=middle / 3)
}

/// Withdraws an account's entry from an open draw; `false` if it has none. Refused after the close.
pub(crate) async fn withdraw_entry(
    app: &App,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<bool, QueueError> {
    let mut tx = app.db.begin().await?;
    let deleted = match rows::delete_entry(&mut tx, program_id, account_id).await {
        Err(error) if violated_constraint(&error) == Some(ENTRIES_CLOSED) => {
            return Err(QueueError::DrawClosed);
        }
        deleted => deleted?,
    };
    tx.commit().await?;
    Ok(deleted)
}

/// Withdraws every entry of an account that is being deleted from the draws that are open. An entry
/// of a closed draw stays, and its number will have left the line.
pub async fn withdraw_entries_of(
    tx: &mut Connection,
    account_id: AccountId,
) -> Result<(), sqlx::Error> {
    for program_id in rows::lock_entered(&mut *tx, account_id).await? {
        rows::delete_entry(&mut *tx, program_id, account_id).await?;
    }
    Ok(())
}

/// Entry as its owner sees it: all that it takes to find and to check it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OwnEntry {
    pub id: TokenId,
    /// In Base64, as in the receipt of a place.
    pub salt: String,
    pub entered_at: DateTime<Utc>,
    /// SHA-256 of salt and id, in hex.
    pub commitment: String,
    /// Leaf of the tree, in hex.
    pub leaf_hash: String,
    /// Place in the list of entries, from 1; `None` until the close.
    pub position: Option<usize>,
    /// HMAC of the leaf, in hex; `None` until the reveal.
    pub score: Option<String>,
    /// Place in the order of the scores: the queue number; `None` until it is given.
    pub rank: Option<QueueNumber>,
    /// Key that checks the receipt, as the log of joins has it.
    pub verifier_key: Option<String>,
    /// Signed note that the office has this entry; `None` if the log began with another secret.
    pub receipt: Option<String>,
}

/// Returns the account's entry in `draw`; `None` if it has none.
pub(crate) async fn find_own_entry(
    app: &App,
    lists: &ClosedLists,
    draw: &Draw,
    account_id: AccountId,
) -> Result<Option<OwnEntry>, QueueError> {
    let entry = rows::find_entry(&app.db, draw.program_id, account_id).await?;
    let Some(entry) = entry else { return Ok(None) };
    let receipt = sign_receipt(app, draw, &entry).await?;
    let DrawEntry { id, entered_at, .. } = entry;
    let Some(sealed) = entry.sealed() else { return Ok(None) };
    let position = match draw.closed_at {
        None => None,
        Some(_) => lists.of(app, draw.program_id).await?.binary_search(&sealed).ok(),
    };
    let rank = match draw.revealed_at {
        None => None,
        Some(_) => rows::find_rank(&app.db, id).await?,
    };
    Ok(Some(OwnEntry {
        id,
        salt: Salt::of(&app.log_secret, id).text(),
        entered_at,
        commitment: hex::encode(sealed),
        leaf_hash: hex::encode(leaf_hash(&sealed).0),
        position: position.map(|index| index + 1),
        score: draw.order_key().map(|key| hex::encode(key.score(&sealed))),
        rank,
        verifier_key: receipt.as_ref().map(|signed| signed.verifier_key.clone()),
        receipt: receipt.map(|signed| signed.note),
    }))
}
