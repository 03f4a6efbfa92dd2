//! One instance's waiting room: its joins on their way, and what it measured.

use std::sync::Arc;

use super::{
    error::QueueError,
    estimate::{Measures, Wait},
    guards::Effects,
    join::Joins,
};
use crate::{
    app::App,
    catalog::{Listings, Program, ScheduleListing},
};

/// The running state of this feature, registered beside [`App`].
#[derive(Clone, Debug)]
pub struct WaitingRoom {
    pub(crate) joins: Joins,
    pub(crate) effects: Effects,
    measures: Measures,
    listings: Listings,
}

impl WaitingRoom {
    /// The waiting room of one instance. Batches of joins run on the runtime this is
    /// called on.
    pub fn new(app: &App, listings: Listings) -> Self {
        let (joins, effects) = (Joins::new(app.clone()), Effects::new(app));
        Self { joins, effects, measures: Measures::default(), listings }
    }

    /// Seats and places that are free in all performances of `program`.
    pub(crate) async fn seats_free(&self, app: &App, program: &Program) -> Result<u64, QueueError> {
        let schedules = self.schedules(app, program).await?;
        let free = schedules.iter().map(|schedule| u64::try_from(schedule.free).unwrap_or(0));
        Ok(free.sum())
    }

    /// The performances that somebody who is inside chooses from.
    pub(crate) async fn schedules(
        &self,
        app: &App,
        program: &Program,
    ) -> Result<Arc<Vec<ScheduleListing>>, QueueError> {
        Ok(self.listings.schedules(app, program.id).await?)
    }

    /// How long somebody waits who has so many ahead.
    pub(crate) async fn wait(
        &self,
        app: &App,
        program: &Program,
        n_ahead: Option<u64>,
    ) -> Result<Option<Wait>, Arc<sqlx::Error>> {
        let Some(n_ahead) = n_ahead else { return Ok(None) };
        Ok(self.measures.speed(app, program).await?.wait(n_ahead))
    }
}
