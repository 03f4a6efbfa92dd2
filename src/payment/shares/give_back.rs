//! Shares that end unpaid: withdrawn by the payer, taken back by the holder, or returned after the end
//! of the hold.

use super::{
    error::ShareError,
    model::{LinkedShare, LockedShare, ShareId, ShareStatus},
    store::{self, ended},
    telling::tell_ended,
};
use crate::{
    accounts::AccountId,
    app::App,
    infra::{
        postgres::{Connection, retry_stale},
        sweep::Sweep,
    },
    payment::error::PaymentError,
    reservation::{self, Held, ReservationError, ReservationId},
    wallet,
};

/// Bounds of a look for live shares of ended holds.
const ENDED: Sweep = Sweep { rows_max: 500, parts_max: 20 };
/// Newest shares of one payer that are searched for shares of ended holds.
const OF_PAYER_MAX: i64 = 100;

/// Withdraws a share that `payer_id` has paid: its points are released, and the holder can pay its
/// places or share them again.
pub(crate) async fn withdraw(
    app: &App,
    payer_id: AccountId,
    share: &LinkedShare,
) -> Result<(), ShareError> {
    retry_stale(|_| async {
        let mut tx = app.db.begin().await?;
        let locked = reservation::lock_held(&mut tx, share.owner_id, share.reservation_id).await;
        locked.map_err(|error| match error {
            ReservationError::Database(error) => ShareError::from(error),
            // The hold has ended, so its points are being returned, or it is paid.
            _ => ShareError::HoldOver,
        })?;
        let locked = lock_one(&mut tx, share.reservation_id, share.id).await?;
        if locked.payer_id != Some(payer_id) {
            return Err(ShareError::NotPaid);
        }
        end(&mut tx, &locked, ShareStatus::Withdrawn).await?;
        Ok(tx.commit().await?)
    })
    .await
}

/// Takes a live share of a hold back; a payer gets the points back at once, and a mail.
pub(crate) async fn take_back(
    app: &App,
    owner_id: AccountId,
    reservation_id: ReservationId,
    id: ShareId,
) -> Result<(), ShareError> {
    retry_stale(|_| async {
        let mut tx = app.db.begin().await?;
        reservation::lock_held(&mut tx, owner_id, reservation_id).await?;
        let locked = lock_one(&mut tx, reservation_id, id).await?;
        end(&mut tx, &locked, ShareStatus::TakenBack).await?;
        tell_ended(&mut tx, owner_id, &locked).await?;
        Ok(tx.commit().await?)
    })
    .await
}

/// Takes the open shares of a locked hold back, because the holder pays all of it. Refused while a
/// share is withheld.
pub(in crate::payment) async fn end_open(
    tx: &mut Connection,
    held: &Held,
) -> Result<(), PaymentError> {
    let live = store::lock_live(tx, held.reservation_id).await?;
    if live.iter().any(|share| share.status == ShareStatus::Withheld) {
        return Err(PaymentError::SharesWithheld);
    }
    let ids: Vec<ShareId> = live.iter().map(|share| share.id).collect();
    let versions: Vec<i64> = live.iter().map(|share| share.version).collect();
    let n_written = store::write_ended(tx, &ids, &versions, ShareStatus::TakenBack).await?;
    if u64::try_from(ids.len()) == Ok(n_written) { Ok(()) } else { Err(PaymentError::StaleVersion) }
}

/// Locks one live share of a locked hold.
async fn lock_one(
    tx: &mut Connection,
    reservation_id: ReservationId,
    id: ShareId,
) -> Result<LockedShare, ShareError> {
    let live = store::lock_live(tx, reservation_id).await?;
    if let Some(share) = live.into_iter().find(|share| share.id == id) {
        return Ok(share);
    }
    let status = store::find_status(tx, reservation_id, id).await?;
    Err(status.map_or(ShareError::NotFound, ShareError::Ended))
}

/// Ends a locked live share and releases its withheld points.
async fn end(
    tx: &mut Connection,
    share: &LockedShare,
    status: ShareStatus,
) -> Result<(), ShareError> {
    if store::write_ended(tx, &[share.id], &[share.version], status).await? != 1 {
        return Err(PaymentError::StaleVersion.into());
    }
    if let Some(withheld) = share.withheld() {
        wallet::release_share(tx, &withheld).await?;
    }
    Ok(())
}

/// Returns the shares of all holds that have ended unpaid, each in its own transaction: one tick of the
/// worker. Instances may run it concurrently; locked shares are skipped.
pub async fn return_ended(app: &App) -> Result<(), sqlx::Error> {
    let list = |last, rows_max| ended::list(&app.db, last, rows_max);
    let each = |page: Vec<ShareId>| async move {
        return_each(app, &page).await;
        Ok(())
    };
    ENDED.pages(list, each).await
}

/// Returns the shares of ended holds that `payer_id` has paid, before the points are needed.
pub async fn return_ended_of(app: &App, payer_id: AccountId) -> Result<(), sqlx::Error> {
    let page = ended::list_of_payer(&app.db, payer_id, OF_PAYER_MAX).await?;
    return_each(app, &page).await;
    Ok(())
}

/// Returns the shares of one hold that has just ended. Shares that cannot be returned are left to
/// the worker.
pub(in crate::payment) async fn return_of(app: &App, reservation_id: ReservationId) {
    match ended::list_of_reservation(&app.db, reservation_id).await {
        Ok(page) => return_each(app, &page).await,
        Err(error) => tracing::warn!(%error, %reservation_id, "shares are returned later"),
    }
}

/// Returns shares one by one: a share that cannot be returned must not keep the others from being
/// returned.
async fn return_each(app: &App, ids: &[ShareId]) {
    for id in ids {
        if let Err(error) = retry_stale(|_| return_once(app, *id)).await {
            tracing::warn!(%error, share_id = %id, "a share could not be returned");
        }
    }
}

/// Returns one share. Its reservation has ended and never changes again, so only the share and the
/// payer's wallet are locked.
async fn return_once(app: &App, id: ShareId) -> Result<(), ShareError> {
    let mut tx = app.db.begin().await?;
    let Some(share) = ended::lock_free(&mut tx, id).await? else { return Ok(()) };
    end(&mut tx, &share, ShareStatus::Returned).await?;
    let owner_id = ended::owner_of(&mut tx, id).await?;
    tell_ended(&mut tx, owner_id, &share).await?;
    Ok(tx.commit().await?)
}
