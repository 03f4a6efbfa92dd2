//! Codes of a program: they make an order cheaper, or open a section that is hidden from the
//! public.
//!
//! A **code** is a row with a **word**, which people type, and **terms**: a percentage or points
//! taken off the sum of an order's prices, when and for what it is valid, and how many **uses** and
//! **places** it has. A use is a live reservation that was made with the code: a hold that has not
//! ended, or a paid reservation. A refund gives its use and its places back, like the release and
//! the end of a hold. A place on return belongs to its seller: no code reduces its price or counts
//! it among its places.
//!
//! An **access code** takes nothing off. An account **redeems** it once, which is its use and is
//! never given back. While the code is valid, the account may use the code's access gate
//! (`entry_queue`), and its section or zone is **open** to the account. Seats and places of a
//! **hidden** section or zone are shown, counted, offered and sold only to accounts to which it is
//! open; its free seats have a status of their own.
//!
//! # Invariants
//!
//! * The number of live reservations with a code is limited, in all (`sale_codes_uses_within_max`)
//!   and per account, and so is the number of their places (`sale_codes_places_within_max`).
//! * The terms of a code never change (`sale_codes_kept`), so the terms that a page showed are the
//!   ones that are charged: a request names the code whose terms were shown, or the total.
//! * A word is one code of a program at a time (`sale_codes_word_key`).
//! * A code for a section means the seats of the section and, at each performance, the first zone
//!   that has the name (`sale_code_zones`), also after that zone is renamed.
//! * Offers of the waiting list have no code, and hidden seats and places are never offered.
//! * Whether a hidden section is open to an account is decided by the transaction of the order,
//!   after its locks. An account without access gets the answer for a section that does not exist.
//!
//! # Concurrency
//!
//! Orders with one code race for its row, which each locks after its seats or its zone, ids
//! ascending, and before it reads the clock. They wait for it only as long as such a transaction
//! writes. An order without a code runs no additional statement. A code that is used up is refused
//! before any lock; holds past their end give their use back first.

pub mod error;
pub mod model;
pub mod pages;
mod redeeming;
pub mod store;
mod validity;
pub mod word;

pub use redeeming::redeem;

use std::sync::Arc;

use self::{
    error::{CodeEditError, CodeRefusal},
    model::{AskedCode, CodeLimits, CodeWord, NewCode, SaleCode, SaleCodeId},
    store::edits,
};
use crate::{
    app::App,
    catalog::{ProgramId, Schedule},
    entry_queue::make_access_gate,
    infra::postgres::{Connection, violated_constraint},
    reservation::error::ReservationError,
};

/// Looks up the code that an order for `schedule` names. The row may change until the order locks
/// it; an unknown code, one that is used up, and one for another performance are refused at once.
pub(crate) async fn look_up(
    app: &App,
    schedule: &Schedule,
    asked: &AskedCode,
) -> Result<AskedCode, ReservationError> {
    let found = store::find(&app.db, schedule.program_id, &asked.word, false).await?;
    let code = found.ok_or(CodeRefusal::Unknown)?;
    code.require_for(schedule.id)?;
    code.require_use_left()?;
    Ok(AskedCode { found: Some(Arc::new(code)), ..asked.clone() })
}

/// Returns the code with `word` if an order for `schedule` may use it now, by an
/// unlocked read: for a page that shows its terms before the order.
pub(crate) async fn find_usable(
    app: &App,
    schedule: &Schedule,
    word: &CodeWord,
) -> Result<SaleCode, ReservationError> {
    let found = store::find(&app.db, schedule.program_id, word, false).await?;
    let code = found.ok_or(CodeRefusal::Unknown)?;
    code.require_usable(app.now(), schedule.id)?;
    Ok(code)
}

/// Gives back the uses and places of the reservations that this transaction ends; `ended` has the
/// code and the number of places of each. Must follow the locks of seats and zones.
pub(crate) async fn return_uses(
    tx: &mut Connection,
    ended: &[(SaleCodeId, i32)],
) -> Result<(), sqlx::Error> {
    if ended.is_empty() { Ok(()) } else { store::write_uses_returned(tx, ended).await }
}

/// Makes a code for each of `words`, all with the same terms and the same access gate.
pub async fn make(
    tx: &mut Connection,
    program_id: ProgramId,
    words: &[CodeWord],
    new: &NewCode,
) -> Result<(), CodeEditError> {
    if new.section.is_some() {
        edits::lock_schedules(tx, program_id).await?;
    }
    let gate_id = match &new.gate {
        Some(gate) => {
            let made = make_access_gate(tx, program_id, gate).await?;
            Some(made.ok_or(CodeEditError::OpensWithDraw)?)
        }
        None => None,
    };
    let made = edits::insert(tx, program_id, words, new, gate_id).await.map_err(|error| {
        match violated_constraint(&error) {
            Some("sale_codes_schedule_of_program") => CodeEditError::NoSchedule,
            _ => error.into(),
        }
    })?;
    if made.len() == words.len() { Ok(()) } else { Err(CodeEditError::Taken) }
}

/// Sets the limits of a code: live reservations that may have it, and their places; neither may be
/// below the present number, and places are counted anew. Returns the code before and after.
pub async fn limit(
    tx: &mut Connection,
    program_id: ProgramId,
    id: SaleCodeId,
    limits: CodeLimits,
) -> Result<(SaleCode, SaleCode), CodeEditError> {
    let code = lock_live(tx, program_id, id).await?;
    let CodeLimits { uses_max, places_max } = limits;
    let places_max = places_max.unwrap_or(code.places_max);
    if uses_max.is_some_and(|uses_max| uses_max < code.uses) {
        return Err(CodeEditError::BelowUses { uses: code.uses });
    }
    let places = match places_max {
        None => None,
        Some(_) if code.is_access => return Err(CodeEditError::AccessPlaces),
        Some(places_max) => match edits::count_places(tx, id).await? {
            places if places > places_max => return Err(CodeEditError::BelowPlaces { places }),
            places => Some(places),
        },
    };
    edits::update_limits(tx, id, uses_max, (places_max, places)).await?;
    let after = SaleCode { uses_max, places_max, places, ..code.clone() };
    Ok((code, after))
}

/// Withdraws a code, which cannot be used from then on. Reservations that have it stay as they are.
pub async fn withdraw(
    tx: &mut Connection,
    program_id: ProgramId,
    id: SaleCodeId,
) -> Result<SaleCode, CodeEditError> {
    let code = lock_live(tx, program_id, id).await?;
    edits::update_withdrawn(tx, id).await?;
    Ok(code)
}

async fn lock_live(
    tx: &mut Connection,
    program_id: ProgramId,
    id: SaleCodeId,
) -> Result<SaleCode, CodeEditError> {
    let code = store::lock(tx, program_id, &[id]).await?.pop().ok_or(CodeEditError::NotFound)?;
    if code.withdrawn_at.is_some() { Err(CodeEditError::Withdrawn) } else { Ok(code) }
}
