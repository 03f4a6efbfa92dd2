//! Writing of saved prices into the seats: begun by the request that saved them, finished by
//! the workers of every instance.

use std::time::Duration;

use crate::{
    admin::error::AdminError,
    app::App,
    catalog::{self, ScheduleId},
    reservation,
};

/// Longest time for which the request that saved prices writes them: well within its deadline.
const WRITTEN_AT_ONCE: Duration = Duration::from_secs(2);
/// Longest time for which a tick writes the prices of one performance before the next one.
const WRITTEN_A_TICK: Duration = Duration::from_secs(10);

/// Writes prices that were just saved, and returns whether all seats have them. A failure is
/// logged and left to the workers: the prices are saved.
pub(crate) async fn write_now(app: &App, id: ScheduleId) -> bool {
    let announce = || reservation::announce(app, id);
    match catalog::write_prices(&app.db, id, WRITTEN_AT_ONCE, announce).await {
        Ok(is_done) => is_done,
        Err(error) => {
            tracing::warn!(%error, schedule_id = %id, "prices are left to the workers");
            false
        }
    }
}

/// Writes saved prices that are not written into the seats yet; one tick of a worker. All instances
/// may run it at once.
pub async fn write_prices(app: &App) -> Result<(), AdminError> {
    for id in catalog::list_with_prices_to_write(&app.db).await? {
        let announce = || reservation::announce(app, id);
        catalog::write_prices(&app.db, id, WRITTEN_A_TICK, announce).await?;
    }
    Ok(())
}
