//! Redemption of an access code: one transaction.

use super::{
    error::CodeRefusal,
    model::{CodeWord, SaleCode},
    store::{self, access},
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ProgramId,
    entry_queue::{self, open_gate_to, wait_for_joins},
    infra::postgres::retry_stale,
    reservation::error::ReservationError,
};

/// Redeems the access code with `word`. While the code is valid, its section is open to the
/// account, and the account may use the code's access gate, also with the queue token that it
/// already has. A repeated redemption by the account takes no further use.
pub async fn redeem(
    app: &App,
    account_id: AccountId,
    program_id: ProgramId,
    word: &CodeWord,
) -> Result<SaleCode, ReservationError> {
    retry_stale(|_| redeem_once(app, account_id, program_id, word)).await
}

async fn redeem_once(
    app: &App,
    account_id: AccountId,
    program_id: ProgramId,
    word: &CodeWord,
) -> Result<SaleCode, ReservationError> {
    let mut tx = app.db.begin().await?;
    let found = store::find(&mut *tx, program_id, word, true).await?.ok_or(CodeRefusal::Unknown)?;
    if found.gate_id.is_some() {
        wait_for_joins(&mut tx, program_id).await?;
    }
    // In the order of locks, tokens come before codes.
    let token = entry_queue::lock_live_token(&mut tx, account_id, program_id).await?;
    // A code that was withdrawn before the lock is refused below, by its validity.
    let code = store::lock(&mut tx, program_id, &[found.id]).await?.pop();
    let code = code.ok_or(CodeRefusal::Unknown)?;
    let (moment, has_redeemed) = access::read_redeemed(&mut tx, account_id, code.id).await?;
    code.require_valid(moment)?;
    if !has_redeemed {
        code.require_use_left()?;
        access::insert_redemption(&mut tx, account_id, code.id).await?;
    }
    if let Some((token, gate_id)) = token.zip(code.gate_id) {
        open_gate_to(&mut tx, &token, gate_id).await?;
    }
    tx.commit().await?;
    Ok(code)
}
