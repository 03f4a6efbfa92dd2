//! Saved prices on their way into the seats: begun by the request that saved them, finished by
//! the workers of every instance.

use std::time::Duration;

use crate::{
    admin::error::AdminError,
    app::App,
    catalog::{self, ScheduleId},
    reservation,
};

/// How long the request that saved prices writes them itself: well within a change's deadline.
const WRITTEN_AT_ONCE: Duration = Duration::from_secs(2);
/// How long a tick writes the prices of one performance before it looks at the next.
const WRITTEN_A_TICK: Duration = Duration::from_secs(10);

/// Writes prices that were just saved; says whether all seats have them. What fails here is the
/// workers' to do: the prices are saved.
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

/// Writes what is left of saved prices. One tick of a worker; all instances may run it at once.
pub async fn write_prices(app: &App) -> Result<(), AdminError> {
    for id in catalog::list_with_prices_to_write(&app.db).await? {
        let announce = || reservation::announce(app, id);
        catalog::write_prices(&app.db, id, WRITTEN_A_TICK, announce).await?;
    }
    Ok(())
}
