//! State of the waiting room in one instance: joins and polls in progress, and measured speeds.

use std::sync::Arc;

use super::{
    announcements::Announcements,
    error::QueueError,
    estimate::{Measure, Measures},
    guards::effects::Effects,
    join::Joins,
    redis_queue::Polls,
};
use crate::{
    app::App,
    catalog::{Listings, Program, ScheduleListing},
};

/// Running state of this feature, registered beside [`App`].
#[derive(Clone, Debug)]
pub struct WaitingRoom {
    pub joins: Joins,
    pub polls: Polls,
    pub effects: Effects,
    pub announcements: Announcements,
    measures: Measures,
    listings: Listings,
}

impl WaitingRoom {
    /// Creates the state of one instance. Batches of joins run on the runtime of the caller.
    pub fn new(app: &App, listings: Listings) -> Self {
        let (joins, effects) = (Joins::new(app.clone()), Effects::new(app));
        let polls = Polls::new(app.redis.clone(), app.config.queue_grace());
        let (announcements, measures) = (Announcements::default(), Measures::default());
        Self { joins, polls, effects, announcements, measures, listings }
    }

    /// Returns the number of free seats and zone places in all performances of `program`.
    pub async fn seats_free(&self, app: &App, program: &Program) -> Result<u64, QueueError> {
        let schedules = self.schedules(app, program).await?;
        let free = schedules.iter().map(|schedule| u64::try_from(schedule.free).unwrap_or(0));
        Ok(free.sum())
    }

    /// Returns the performances of `program`, with their availability, from the listings cache.
    pub async fn schedules(
        &self,
        app: &App,
        program: &Program,
    ) -> Result<Arc<Vec<ScheduleListing>>, QueueError> {
        Ok(self.listings.schedules(app, program.id).await?)
    }

    /// Returns the measured waits of `program`.
    pub async fn measure(&self, app: &App, program: &Program) -> Result<Measure, Arc<sqlx::Error>> {
        self.measures.of(app, program).await
    }
}
