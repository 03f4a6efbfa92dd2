//! Numbers of requests that wait for places of a zone.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::App,
    catalog::{ScheduleId, ZoneId},
    infra::locks::{LockName, count_waiting},
};

/// Numbers of people who wait for places, by zone.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WaitingHere(HashMap<ZoneId, u64>);

impl WaitingHere {
    /// Counts the requests that wait in the fair locks of `zones`; zero without Redis.
    pub async fn count(
        app: &App,
        schedule_id: ScheduleId,
        zones: impl IntoIterator<Item = ZoneId>,
    ) -> Self {
        let zones: Vec<ZoneId> = zones.into_iter().collect();
        let names: Vec<LockName> =
            zones.iter().map(|zone| LockName::new(&schedule_id, zone)).collect();
        let counts = count_waiting(&app.redis, &names).await.unwrap_or_default();
        Self(zones.into_iter().zip(counts).collect())
    }

    /// Returns the number of requests that wait for places of a zone.
    pub fn at(&self, zone_id: &ZoneId) -> u64 {
        self.0.get(zone_id).copied().unwrap_or_default()
    }
}
