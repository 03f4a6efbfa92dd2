//! Claims: pending offers to an address that had no account, and that an account has confirmed
//! since. The account becomes the recipient and gets the usual mail; the sender sees no difference.
//! Instances race for the ticket, whose row guards its hand-overs.

use uuid::Uuid;

use super::{
    model::HandOverId,
    store::claims::{self, HandOverClaim},
    telling,
};
use crate::{
    infra::{postgres::Pool, throwaway},
    tickets::store as tickets,
};

/// Offers of a page, and pages of one tick; further ones are left to the next tick.
const PAGE_ROWS: i64 = 500;
const PAGES_MAX: usize = 20;

/// Claims the offers whose addresses were confirmed by accounts: one tick of a worker. Instances
/// may run it concurrently.
pub(crate) async fn claim_hand_overs(db: &Pool) -> Result<(), sqlx::Error> {
    let mut after = HandOverId(Uuid::nil());
    for _ in 0..PAGES_MAX {
        let page = claims::list(db, after, PAGE_ROWS).await?;
        let Some(last) = page.last() else { break };
        after = last.id;
        for claim in &page {
            claim_once(db, claim).await?;
        }
    }
    Ok(())
}

async fn claim_once(db: &Pool, claim: &HandOverClaim) -> Result<(), sqlx::Error> {
    // Tickets of a rehearsal must not leave it, nor others come in.
    if throwaway::is_marked(claim.sender_id.0) || throwaway::is_marked(claim.recipient_id.0) {
        return Ok(());
    }
    let mut tx = db.begin().await?;
    if tickets::lock_free(&mut tx, claim.ticket_id).await? && claims::write(&mut tx, claim).await? {
        telling::tell_offered(&mut tx, claim.id, claim.recipient_id).await?;
    }
    tx.commit().await
}
