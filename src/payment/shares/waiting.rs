//! Withheld shares of a payer, and their end when the points are taken back.

use std::collections::HashMap;

use uuid::Uuid;

use super::{
    error::ShareError,
    model::{LockedShare, ShareId, ShareStatus},
    store::{self, waiting},
    telling::tell_taken_back,
};
use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    payment::error::PaymentError,
    reservation::{self, LockedReservations, ReservationId, ReservationStatus},
    wallet::ShareOfPayer,
};

/// Withheld shares of one payer, with their reservations: all are locked.
#[derive(Debug)]
pub(in crate::payment) struct WaitingShares {
    shares: Vec<(ReservationId, LockedShare)>,
    reservations: LockedReservations,
}

/// Locks the reservations of the withheld shares of `payer_id`, and then the shares, both in the order of
/// their ids.
pub(in crate::payment) async fn lock_waiting_of(
    tx: &mut Connection,
    payer_id: AccountId,
) -> Result<WaitingShares, sqlx::Error> {
    let ids = waiting::list_reservations(tx, payer_id).await?;
    if ids.is_empty() {
        return Ok(WaitingShares { shares: Vec::new(), reservations: HashMap::new() });
    }
    let reservations = reservation::lock_all(tx, &ids).await?;
    let shares = waiting::lock(tx, payer_id, &ids).await?;
    Ok(WaitingShares { shares, reservations })
}

impl WaitingShares {
    /// Returns the points that are withheld for each share.
    pub(in crate::payment) fn points(&self) -> Vec<ShareOfPayer> {
        self.shares.iter().filter_map(|(_, share)| share.withheld()).collect()
    }

    /// Ends the shares in `ended`, whose points were released, and writes the mails to their payer.
    /// A friend's share is withdrawn and the holder's own is taken back, so that its places can be
    /// paid or shared again; a share whose hold has ended is returned.
    pub(in crate::payment) async fn end(
        &self,
        tx: &mut Connection,
        ended: &[Uuid],
    ) -> Result<(), ShareError> {
        for (reservation_id, share) in &self.shares {
            if !ended.contains(&share.id.0) {
                continue;
            }
            let status = match self.reservations.get(reservation_id) {
                Some((_, ReservationStatus::Held)) if share.has_link => ShareStatus::Withdrawn,
                Some((_, ReservationStatus::Held)) => ShareStatus::TakenBack,
                _ => ShareStatus::Returned,
            };
            let ids: [ShareId; 1] = [share.id];
            if store::write_ended(tx, &ids, &[share.version], status).await? != 1 {
                return Err(PaymentError::StaleVersion.into());
            }
            tell_taken_back(tx, share).await?;
        }
        Ok(())
    }
}
