//! Redemption of an access code: one transaction.

use super::{
    error::CodeRefusal,
    model::{CodeWord, SaleCode},
    store::{self, access},
};
use crate::{
    accounts::AccountId, app::App, catalog::ProgramId, infra::postgres::retry_stale,
    reservation::error::ReservationError,
};

/// Redeems the access code with `word`: from now on its section is open to the account, while the code is
/// valid. Whoever has redeemed it before uses nothing more.
pub(crate) async fn redeem(
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
    // Withdrawn meanwhile, it is not valid.
    let code = store::lock(&mut tx, program_id, &[found.id]).await?.pop();
    let code = code.ok_or(CodeRefusal::Unknown)?;
    let (moment, has_redeemed) = access::read_redeemed(&mut tx, account_id, code.id).await?;
    code.require_valid(moment)?;
    if has_redeemed {
        return Ok(code);
    }
    code.require_use_left()?;
    access::insert_redemption(&mut tx, account_id, code.id).await?;
    tx.commit().await?;
    Ok(code)
}
