//! Announcement of a draw by an administrator: the commitments, before the first entry.

use chrono::{DateTime, Utc};

use super::{
    beacon::BeaconRound,
    model::{Draw, Seed},
    store,
};
use crate::{
    app::App,
    audit::model::Reason,
    catalog::{self, DrawStep, ProgramId, ProgramStatus},
    entry_queue::{
        admission::store as gate, error::QueueError, join::store as numbers, model::QueueNumber,
    },
    infra::{postgres::Connection, throwaway},
};

/// Announces that a sale opens with a draw: commits to a seed, and to a beacon where relays are
/// configured. Refused once the sale has opened or a queue number was given, and where the program has
/// an access gate.
pub async fn announce_draw(
    app: &App,
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Draw, QueueError> {
    catalog::lock_program(&mut *tx, program_id).await?;
    let next = numbers::lock_next_number(tx, program_id).await?;
    let rules = gate::rules_of(tx, program_id).await?;
    let has_begun = rules.now >= rules.on_sale_at || next > QueueNumber(1);
    // Accounts that may use an access gate would get numbers before the draw gives any.
    if rules.has_access_gates {
        return Err(QueueError::DrawNotPossible);
    }
    if has_begun || rules.draw.is_some() || rules.status == ProgramStatus::Cancelled {
        return Err(QueueError::DrawNotPossible);
    }
    // A rehearsal is removed again, and a draw is kept.
    if throwaway::is_marked(program_id.0) {
        return Err(QueueError::DrawNotPossible);
    }
    let draw = new_draw(app, program_id, rules.on_sale_at);
    store::insert_draw(tx, &draw).await?;
    let announced = store::find_draw(tx, program_id).await?;
    announced.ok_or(QueueError::DrawNotPossible)
}

fn new_draw(app: &App, program_id: ProgramId, opens_at: DateTime<Utc>) -> Draw {
    let nonce: [u8; 32] = rand::random();
    let commitment = Seed::of(&app.log_secret, program_id, &nonce).commitment();
    let config = &app.config.drand;
    let round = (!config.urls.is_empty()).then(|| BeaconRound::after_opening(config, opens_at));
    Draw {
        program_id,
        opens_at,
        nonce: nonce.to_vec(),
        commitment: commitment.to_vec(),
        announced_at: DateTime::UNIX_EPOCH,
        chain_hash: round.map(|round| round.chain_hash.to_vec()),
        chain_key: round.map(|round| round.public_key.to_vec()),
        chain_genesis_at: round.map(|round| round.genesis_at),
        chain_period_secs: round.map(|round| round.period_secs),
        beacon_round: round.map(|round| round.round),
        closed_at: None,
        entries: None,
        head: None,
        revealed_at: None,
        seed: None,
        beacon_signature: None,
        omission_reason: None,
        numbered: 0,
        numbered_at: None,
        step: DrawStep::Open,
    }
}

/// Takes the announcement back while the program is a draft, which is not public.
pub async fn withdraw_draw(tx: &mut Connection, program_id: ProgramId) -> Result<(), QueueError> {
    catalog::lock_program(&mut *tx, program_id).await?;
    let rules = gate::rules_of(tx, program_id).await?;
    if rules.draw.is_none() || rules.status != ProgramStatus::Draft {
        return Err(QueueError::DrawAnnounced);
    }
    Ok(store::delete_draw(tx, program_id).await?)
}

/// Leaves out a beacon that did not come within an hour of the close, and reveals the seed. The reason
/// is public. Refused before.
pub async fn omit_beacon(
    app: &App,
    tx: &mut Connection,
    program_id: ProgramId,
    reason: &Reason,
) -> Result<(), QueueError> {
    let draw = store::find_draw(&mut *tx, program_id).await?;
    let seed = draw.and_then(|draw| draw.own_seed(&app.log_secret));
    let seed = seed.ok_or(QueueError::BeaconAwaited)?;
    let is_left_out = store::write_omission(tx, program_id, &seed, reason.as_str()).await?;
    is_left_out.then_some(()).ok_or(QueueError::BeaconAwaited)
}
