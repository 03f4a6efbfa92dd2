//! Expiry of holds: lapsed holds are listed in pages and ended in batches, by all instances
//! concurrently.

use std::collections::BTreeSet;

use rand::seq::SliceRandom;

use super::store::expiry::{self, Lapsed};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::{postgres::retry_stale, sweep::Sweep},
    reservation::{
        codes::{self, model::SaleCodeId},
        error::ReservationError,
        hold::store,
        lifecycle,
        model::{ReservationId, ReservationStatus},
        seat_map::feed::announce,
        waiting_list::lock_lists_of,
    },
};

/// Bounds of a look for lapsed holds.
const LAPSED: Sweep = Sweep { rows_max: 2_000, parts_max: 50 };
/// Holds ended per transaction: few enough that other transactions wait only briefly for their
/// rows.
const BATCH_ROWS: usize = 100;
/// Lapsed holds ended at most for one request that they block.
const IN_THE_WAY_MAX: i64 = 100;

/// Expires every lapsed hold: one tick of the expiry worker. Instances may run it concurrently.
pub async fn expire_lapsed(app: &App) -> Result<(), sqlx::Error> {
    let list = |last, rows_max| expiry::list_lapsed(&app.db, last, rows_max);
    let each = |page: Vec<Lapsed>| async move {
        let ids: Vec<_> = page.iter().map(|lapsed| lapsed.id).collect();
        let mut batches: Vec<_> = ids.chunks(BATCH_ROWS).collect();
        // Instances that read the same page start with different batches.
        batches.shuffle(&mut rand::rng());
        for batch in batches {
            expire(app, batch).await;
        }
        Ok(())
    };
    LAPSED.pages(list, each).await
}

/// Expires lapsed holds that have one of `seat_ids` or places of `zone_id`; returns their number.
pub(crate) async fn expire_in_the_way(
    app: &App,
    seat_ids: &[ScheduleSeatId],
    zone_id: Option<ZoneId>,
) -> Result<usize, sqlx::Error> {
    let ids = store::list_lapsed_in_the_way(&app.db, seat_ids, zone_id, IN_THE_WAY_MAX).await?;
    Ok(expire(app, &ids).await)
}

/// Expires lapsed holds with a code that is used up; returns their number.
pub(crate) async fn expire_with_code(app: &App, id: SaleCodeId) -> Result<usize, sqlx::Error> {
    let ids = codes::store::list_lapsed_with(&app.db, id, IN_THE_WAY_MAX).await?;
    Ok(expire(app, &ids).await)
}

/// Expires the lapsed holds of one account.
pub async fn expire_lapsed_of(app: &App, account_id: AccountId) -> Result<(), sqlx::Error> {
    let ids = expiry::list_lapsed_of(&app.db, account_id, IN_THE_WAY_MAX).await?;
    expire(app, &ids).await;
    Ok(())
}

/// Expires the lapsed holds among `ids`; returns their number. A batch that fails is retried one
/// hold at a time, so that one broken row does not keep the others from expiring.
async fn expire(app: &App, ids: &[ReservationId]) -> usize {
    if ids.is_empty() {
        return 0;
    }
    match retry_stale(|_| expire_together(app, ids)).await {
        Ok(n_ended) => n_ended,
        Err(error) if ids.len() == 1 => {
            tracing::error!(%error, ?ids, "a hold could not be expired");
            0
        }
        Err(error) => {
            tracing::warn!(%error, n_holds = ids.len(), "holds are expired one by one");
            let mut n_ended = 0;
            for id in ids {
                n_ended += Box::pin(expire(app, std::slice::from_ref(id))).await;
            }
            n_ended
        }
    }
}

async fn expire_together(app: &App, ids: &[ReservationId]) -> Result<usize, ReservationError> {
    let mut tx = app.db.begin().await?;
    let lists = lock_lists_of(&mut tx, ids).await?;
    let locked = expiry::lock_held_rows(&mut tx, ids).await?;
    let ended = expiry::list_ended(&mut tx, &locked).await?;
    let schedule_ids: BTreeSet<ScheduleId> = ended.iter().map(|ended| ended.schedule_id).collect();
    let (ids, versions): (Vec<_>, Vec<_>) =
        ended.into_iter().map(|ended| (ended.id, ended.version)).unzip();
    if ids.is_empty() {
        return Ok(0);
    }
    lifecycle::end(&mut tx, &ids, &versions, ReservationStatus::Expired, &lists).await?;
    tx.commit().await?;
    for schedule_id in schedule_ids {
        announce(app, schedule_id);
    }
    metrics::counter!("stagedoor_holds_expired_total")
        .increment(u64::try_from(ids.len()).unwrap_or(u64::MAX));
    Ok(ids.len())
}
