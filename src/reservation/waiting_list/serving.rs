//! Lists served by a worker: offers of places that no transaction offered, and the end of lists
//! that are over.

use super::{
    offers::offer_freed,
    store::{self, WaitedList},
};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::{postgres::retry_stale, sweep::Sweep},
    reservation::{error::ReservationError, model::LockedLists, seat_map::feed::announce},
};

/// Bounds of a look for lists with waiting wishes.
const WAITED: Sweep = Sweep { rows_max: 100, parts_max: 20 };
/// Log line of a list that could not be served, which does not stop the others.
const NOT_SERVED: &str = "a waiting list was not served";
/// Wishes ended in one transaction.
const ENDED_MAX: i64 = 1_000;

/// Serves every list with waiting wishes: one tick of a worker. Instances may run it concurrently.
/// An error of one list is logged and does not stop the others.
pub async fn serve_lists(app: &App) -> Result<(), sqlx::Error> {
    let list = |last: Option<WaitedList>, rows_max| {
        store::list_waited_for(&app.db, last.map(|list| list.schedule_id), rows_max)
    };
    WAITED.rows(NOT_SERVED, list, |list| serve(app, list)).await
}

/// Offers places of a performance that were just put on sale. An error is logged, because the
/// worker tries again.
pub async fn serve_list(app: &App, schedule_id: ScheduleId) {
    let list = WaitedList { schedule_id, is_over: false };
    if let Err(error) = serve(app, list).await {
        tracing::warn!(%schedule_id, %error, "{NOT_SERVED}");
    }
}

async fn serve(app: &App, list: WaitedList) -> Result<(), ReservationError> {
    let n_offers = retry_stale(|_| serve_once(app, &list)).await?;
    if n_offers > 0 {
        announce(app, list.schedule_id);
    }
    Ok(())
}

async fn serve_once(app: &App, list: &WaitedList) -> Result<usize, ReservationError> {
    let mut tx = app.db.begin().await?;
    let locked = store::lock(&mut tx, list.schedule_id).await?;
    let waited_for = locked.filter(|locked| locked.waiting > 0).map(|_| list.schedule_id);
    let lists = LockedLists { waited_for: waited_for.into_iter().collect() };
    let n_offers = match list.is_over {
        true => {
            store::write_ended(&mut tx, list.schedule_id, ENDED_MAX).await?;
            0
        }
        false => offer_freed(&mut tx, &lists).await?,
    };
    tx.commit().await?;
    Ok(n_offers)
}
