//! Access gates: a second way in for accounts that have redeemed an access code.
//!
//! A program has one order of arrival. Its gate admits tokens by number; an **access gate** admits, by number
//! among themselves, the tokens that may use it: the tokens of accounts that have redeemed one of its codes.
//! It has a **capacity** of its own, so its admissions take no place from the program's, and it may open
//! before the sale. Until the sale opens only accounts that may use an open access gate can join. The first
//! gate that reaches a token admits it. An account that may use several access gates waits at all of them.
//!
//! # Invariants
//!
//! * An account that an access gate admitted counts toward the gate's capacity, and not toward the program's.
//! * Among the accounts that may use a gate, none that polls is passed by a later number through it.
//! * A gate never changes, and the program's public log shows it with the tokens that it admits.
//! * A program that opens with a draw has no access gate: the draw numbers every account that came before the
//!   opening.
//!
//! # Concurrency
//!
//! One transaction at a time holds an access gate; an instance that finds it locked admits none. Tokens
//! are locked with `skip locked`, as the program's gate locks them (`admission`). Redis records polls of
//! these accounts at any position in the line.
//!
//! A join notes on its token that a gate may admit it, and so does a redemption on the token that there is.
//! Of two at the same moment each would miss the other, so a redemption waits for joins ([`wait_for_joins`]).

pub mod model;
mod passing;
pub mod store;

pub(super) use passing::{admit_everywhere, admit_in};

use self::model::{AccessGateId, NewAccessGate};
use super::{admission::store as gate, join::store::lock_next_number, model::LiveToken};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{self, Program, ProgramId},
    infra::{ids::new_id, postgres::Connection},
};

/// Makes an access gate of a program; `None` where its sale opens with a draw.
pub async fn make_access_gate(
    tx: &mut Connection,
    program_id: ProgramId,
    new: &NewAccessGate,
) -> Result<Option<AccessGateId>, sqlx::Error> {
    // A draw is announced under the same lock.
    catalog::lock_program(&mut *tx, program_id).await?;
    if gate::rules_of(tx, program_id).await?.draw.is_some() {
        return Ok(None);
    }
    let id = AccessGateId(new_id());
    store::insert(tx, id, program_id, new).await?;
    Ok(Some(id))
}

/// Waits for the joins of a program that are being written, and keeps others waiting until the transaction
/// ends: they see what it redeems, or it sees their tokens. Comes before tokens in the order of locks.
pub async fn wait_for_joins(tx: &mut Connection, program_id: ProgramId) -> Result<(), sqlx::Error> {
    lock_next_number(tx, program_id).await.map(drop)
}

/// Whether an open access gate of the program may admit the account, as far as an unlocked read knows.
pub(super) async fn has_open_gate(
    app: &App,
    program: &Program,
    account_id: AccountId,
) -> Result<bool, sqlx::Error> {
    let now = app.now();
    if program.first_gate_at.is_none_or(|opens_at| opens_at > now) {
        return Ok(false);
    }
    let own = store::list_of_accounts(&app.db, program.id, &[account_id]).await?;
    Ok(own.iter().any(|gate| gate.is_open(now)))
}

/// Notes on a locked token that a gate may admit it from now on.
pub async fn open_gate_to(
    tx: &mut Connection,
    token: &LiveToken,
    gate_id: AccessGateId,
) -> Result<(), sqlx::Error> {
    store::write_gate(tx, token.id, gate_id).await
}
