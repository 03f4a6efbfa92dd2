//! Tokens of several accounts in one transaction.

pub(crate) mod model;
mod store;

use std::collections::HashSet;

use self::model::{LiveTokens, OwnedToken};
use super::{
    model::{TokenId, TokenStatus},
    store::write_ends,
};
use crate::{accounts::AccountId, catalog::ProgramId, infra::postgres::Connection};

/// Locks the live tokens of accounts, each in its program's queue; waits for none. In the order of
/// locks this comes before `reservations`.
pub(crate) async fn lock_live_tokens(
    tx: &mut Connection,
    owners: &[(ProgramId, AccountId)],
) -> Result<LiveTokens, sqlx::Error> {
    let locked = store::lock_free(tx, owners).await?;
    let found: HashSet<_> = locked.iter().map(OwnedToken::owner).collect();
    let missing: Vec<_> = owners.iter().filter(|owner| !found.contains(owner)).copied().collect();
    // Those that are missing have no live token, or one that is held.
    let held = match missing.is_empty() {
        true => HashSet::new(),
        false => store::list_with_live_token(tx, &missing).await?.into_iter().collect(),
    };
    Ok(LiveTokens { locked, held })
}

/// Ends several stays as [`complete`](super::complete) does.
pub(crate) async fn complete_all(
    tx: &mut Connection,
    tokens: &[OwnedToken],
) -> Result<(), sqlx::Error> {
    let active = tokens.iter().filter(|token| token.status == TokenStatus::Active);
    let ids: Vec<TokenId> = active.map(|token| token.id).collect();
    match ids.is_empty() {
        true => Ok(()),
        false => write_ends(tx, &ids, TokenStatus::Completed).await,
    }
}
