//! Guards against hoarding: a program's rules about which accounts may join its queue and hold.
//!
//! A **guard** is off unless an administrator turned it on:
//!
//! * *age*: an account joins when it is old enough;
//! * *confirmed address*: an account joins when its e-mail address is confirmed, as its session says;
//! * *proof*: a join takes a proof of work, or a wait of the same length ([`proof`], [`wait`]);
//! * *address*: accounts of one network get a limited number of queue numbers ([`network`]);
//! * *cool-down*: an account that let too many holds end unpaid neither joins nor holds for a
//!   while. A hold that ends with the return that it awaited is not the account's doing.
//!
//! # Invariants
//!
//! * The rows decide, under the lock of the program's numbers, in the batch that numbers
//!   ([`judge`](judge::Judge)); earlier checks only keep requests off the database. Whether an
//!   address is confirmed was read with the session of the request: a confirmed one stays so.
//! * A guard that is off costs a join no statement.
//! * A proof is for one account and one program, and serves one join.
//! * What a guard did is counted ([`effects`]) approximately: the last second may be lost.
//!
//! # Concurrency
//!
//! Joins of one program are judged in order of arrival, one batch at a time, so that two joins of
//! one network never both take its last number. Waits of one network are serialized by an advisory
//! lock of that network.

pub mod effects;
pub mod judge;
pub mod model;
pub mod network;
pub mod pages;
pub mod proof;
pub mod store;
pub mod wait;

use chrono::{DateTime, Utc};

pub use effects::{list_effects, note_cool_down};
pub(crate) use judge::Objection;
pub use model::{Effect, Guard};
pub(crate) use network::NetworkTag;
pub use proof::{Challenge, Solution, secs_of};

use self::{model::Arrival, store::waits};
use super::{
    error::QueueError,
    paths::{program_path, proof_path},
    sale_window::require_opened,
    state::WaitingRoom,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, SaleState},
    infra::network::Network,
};

/// Data that a client sends with a join.
#[derive(Clone, Debug)]
pub(crate) struct JoinAttempt {
    /// Network of the client.
    pub network: Network,
    /// Whether the account's address is confirmed.
    pub is_address_confirmed: bool,
    /// Challenge and its solution, if sent.
    pub solution: Option<Solution>,
}

/// Checks the data of a join. Where a proof of work is asked for and missing, returns
/// [`QueueError::ProofRequired`] before the join takes a place in a batch, unless the account has a
/// live token or has waited.
pub(crate) async fn arrive(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
    attempt: JoinAttempt,
) -> Result<Arrival, QueueError> {
    let key = &app.signing_key;
    let (network, is_address_confirmed) =
        (NetworkTag::of(key, attempt.network), attempt.is_address_confirmed);
    let mut arrival = Arrival { network, is_address_confirmed, solved: None };
    let is_over = matches!(program.sale_state(app.now()), SaleState::Closed | SaleState::Cancelled);
    if program.guards.proof_bits.is_none() || is_over {
        return Ok(arrival);
    }
    let applicant = waits::applicant_of(&app.db, program.id, account_id).await?;
    if program.guards.confirmed_address && !is_address_confirmed && !applicant.is_in {
        // Before any work is done in vain.
        return Err(refuse(app, room, account_id, program, Objection::Unconfirmed).await?);
    }
    let solution = attempt.solution.as_ref();
    arrival.solved =
        solution.and_then(|work| work.check(key, account_id, program.id, applicant.now));
    let has_waited = applicant.ready_at.is_some_and(|ready_at| {
        ready_at <= applicant.now && applicant.now < ready_at + wait::GOOD_FOR
    });
    if arrival.solved.is_some() || applicant.is_in || has_waited {
        return Ok(arrival);
    }
    room.effects.refused(program.id, Guard::Proof);
    Err(work_for(app, account_id, program, applicant.now))
}

/// Returns the refusal that sets work.
fn work_for(app: &App, account_id: AccountId, program: &Program, now: DateTime<Utc>) -> QueueError {
    let bits = program.guards.proof_bits.unwrap_or_default();
    match Challenge::set(&app.signing_key, account_id, program.id, bits, now) {
        Ok(challenge) => QueueError::ProofRequired {
            challenge: Box::new(challenge),
            proof_url: proof_path(&program.slug),
        },
        Err(cause) => QueueError::ChallengeNotSigned(cause),
    }
}

/// Counts an objection to a join and returns it as an error.
pub async fn refuse(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
    objection: Objection,
) -> Result<QueueError, QueueError> {
    room.effects.refused(program.id, objection.guard());
    let (time_zone, program_url) = (program.time_zone.clone(), program_path(&program.slug));
    Ok(match objection {
        Objection::TooNew { until } => QueueError::AccountTooNew { until, time_zone, program_url },
        Objection::CoolingDown { until } => {
            let left_secs = secs_until(until, app.now());
            QueueError::CoolingDown { until, left_secs, time_zone, program_url }
        }
        Objection::Unconfirmed => QueueError::AddressUnconfirmed { program_url },
        Objection::AddressFull => QueueError::AddressFull { program_url },
        Objection::Unproven => {
            let applicant = waits::applicant_of(&app.db, program.id, account_id).await?;
            work_for(app, account_id, program, applicant.now)
        }
    })
}

/// Returns an error for a hold at `moment` while the account cools down, which ends at `until`.
pub fn require_cool(
    program: &Program,
    until: Option<DateTime<Utc>>,
    moment: DateTime<Utc>,
) -> Result<(), QueueError> {
    match until {
        Some(until) if moment < until => Err(QueueError::CoolingDown {
            until,
            left_secs: secs_until(until, moment),
            time_zone: program.time_zone.clone(),
            program_url: program_path(&program.slug),
        }),
        _ => Ok(()),
    }
}

fn secs_until(until: DateTime<Utc>, now: DateTime<Utc>) -> u64 {
    u64::try_from((until - now).num_seconds()).unwrap_or(0) + 1
}

/// Work that was set, and the other data of its page.
pub(crate) struct SetWork {
    pub challenge: Challenge,
    /// Whether the account has a live token.
    pub is_in: bool,
    /// End of the wait that the account began, if any.
    pub ready_at: Option<DateTime<Utc>>,
    /// Current time by the database's clock.
    pub now: DateTime<Utc>,
}

/// Sets work for a join of `account_id`; `None` where joining takes none.
pub(crate) async fn set_work(
    app: &App,
    account_id: AccountId,
    program: &Program,
) -> Result<Option<SetWork>, QueueError> {
    let Some(bits) = program.guards.proof_bits else { return Ok(None) };
    require_opened(app, program)?;
    let applicant = waits::applicant_of(&app.db, program.id, account_id).await?;
    let now = applicant.now;
    let ready_at = applicant.ready_at.filter(|ready_at| now < *ready_at + wait::GOOD_FOR);
    let challenge = Challenge::set(&app.signing_key, account_id, program.id, bits, now)
        .map_err(QueueError::ChallengeNotSigned)?;
    Ok(Some(SetWork { challenge, is_in: applicant.is_in, ready_at, now }))
}

/// Begins a wait in place of work; `None` where joining takes neither. Returns the end of the wait
/// and the milliseconds until then.
pub(crate) async fn begin_wait(
    app: &App,
    account_id: AccountId,
    program: &Program,
    network: Network,
) -> Result<Option<(DateTime<Utc>, u64)>, QueueError> {
    let Some(bits) = program.guards.proof_bits else { return Ok(None) };
    require_opened(app, program)?;
    let network = NetworkTag::of(&app.signing_key, network);
    wait::begin(app, program.id, account_id, network, bits).await.map(Some)
}
