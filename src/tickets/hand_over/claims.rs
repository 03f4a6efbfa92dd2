//! Claims of offers to an address that had no account ([`AddressClaim`]). Instances race for the ticket, whose row
//! guards its hand-overs.

use super::{model::HandOverId, store::claims, telling};
use crate::{
    accounts::{AddressClaim, claim_each},
    infra::postgres::Pool,
    tickets::{model::TicketId, store as tickets},
};

/// Claims the offers whose addresses accounts have confirmed: one tick of a worker. Instances may run it
/// concurrently.
pub async fn claim_hand_overs(db: &Pool) -> Result<(), sqlx::Error> {
    claim_each(|last, max| claims::list(db, last, max), |claim| claim_once(db, claim)).await
}

async fn claim_once(
    db: &Pool,
    claim: AddressClaim<(HandOverId, TicketId)>,
) -> Result<(), sqlx::Error> {
    let (id, ticket_id) = claim.id;
    let mut tx = db.begin().await?;
    if tickets::lock_free(&mut tx, ticket_id).await?
        && claims::write(&mut tx, id, claim.receiver_id).await?
    {
        telling::tell_offered(&mut tx, id, claim.receiver_id).await?;
    }
    tx.commit().await
}
