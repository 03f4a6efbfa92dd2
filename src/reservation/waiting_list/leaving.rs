//! Withdrawal of wishes by their accounts.

use super::{error::WaitingListError, model::WishStatus, store};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::ScheduleId,
    infra::postgres::retry_stale,
    reservation::model::{ReservationId, WishId},
};

/// Withdraws a waiting wish. Returns its performance.
pub(super) async fn leave(
    app: &App,
    account_id: AccountId,
    id: WishId,
) -> Result<ScheduleId, WaitingListError> {
    retry_stale(|_| leave_once(app, account_id, id)).await
}

async fn leave_once(
    app: &App,
    account_id: AccountId,
    id: WishId,
) -> Result<ScheduleId, WaitingListError> {
    let mut tx = app.db.begin().await?;
    let found = store::find_owned(&mut tx, account_id, id).await?;
    let schedule_id = found.ok_or(WaitingListError::NotFound)?.schedule_id;
    store::lock(&mut tx, schedule_id).await?;
    if store::write_left(&mut tx, schedule_id, id).await? {
        tx.commit().await?;
        return Ok(schedule_id);
    }
    let found = store::find_owned(&mut tx, account_id, id).await?;
    let found = found.ok_or(WaitingListError::NotFound)?;
    match (found.status, found.held) {
        // Withdrawn by an earlier request.
        (WishStatus::Left, _) => Ok(schedule_id),
        (_, Some(held)) => Err(WaitingListError::Offered(ReservationId(held))),
        (status, None) => Err(WaitingListError::Over(status)),
    }
}
