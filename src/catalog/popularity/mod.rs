//! Popularity: the most booked programs and performances, by day and over the last week, and the fastest
//! sell-outs.
//!
//! **Daily sales** are the net bookings and the revenue of one performance on one day. A
//! **ranking** orders programs or performances by one **measure** of one **span**. A **sell-out** is the
//! first time at which every seat and place of a performance was paid.
//!
//! # Invariants
//!
//! * Each payment, refund and sale of a return is counted once, on the day it happened in the office's
//!   time zone. A day that is over never changes.
//! * Nothing of a rehearsal is counted.
//! * PostgreSQL has every figure. The rankings in Redis are a view of them, which may be lost at any
//!   moment; while they are incomplete PostgreSQL ranks.
//!
//! # Concurrency
//!
//! A payment writes nothing here: counting it costs it nothing. A worker of any instance counts what
//! has happened since the last count, under the lock of its one row of progress. It stops at the
//! beginning of the oldest transaction that may still write, so nothing that commits late is missed.
//!
//! Every instance brings the view up to date. It reads a few changed rows after the view's cursor and
//! writes them with the next cursor, in one script that refuses if the cursor has moved. So each change
//! is applied once, also when Redis was restored to an older state; without a cursor all is read anew.

use schemars::JsonSchema;

mod count;
mod model;
pub mod pages;
pub mod store;
mod view;

use std::time::Duration;

pub use self::count::count;
pub use self::model::{Ranked, RankedBy, Ranking, RankingPage, Span, TopN};
use crate::{
    app::{App, StaleRead},
    catalog::ProgramId,
    infra::sweep::Sweep,
};

/// Rows on one page of a ranking, unless it is asked for another number.
pub(crate) const TOP_DEFAULT: u32 = 20;
/// Upper bound of rows on one page of a ranking.
pub(crate) const TOP_MAX: u32 = 100;
/// Upper bound of the pages of a ranking.
pub const PAGES_MAX: u32 = 10_000;
/// Extra time before days that are no longer kept are deleted: a day may end late.
const KEPT_BEYOND: Duration = Duration::from_hours(48);

/// Bounds of a deletion of old days.
const OLD: Sweep = Sweep { rows_max: 1_000, parts_max: 100 };

/// Brings the view in Redis up to date; one tick of a worker. Does nothing while Redis is away.
pub async fn project(app: &App) -> Result<(), sqlx::Error> {
    if let Err(error) = view::project(app).await? {
        tracing::debug!(%error, "the rankings were not brought up to date");
    }
    Ok(())
}

/// Deletes the daily sales of days that are not kept any more; called periodically.
pub async fn forget_old_days(app: &App) -> Result<(), sqlx::Error> {
    let kept_from = model::kept_from(&app.config, app.now() - KEPT_BEYOND);
    store::write_kept_from(&app.db, kept_from).await?;
    OLD.parts(|rows_max| store::delete_before(&app.db, kept_from, rows_max)).await
}

/// Returns a page of a ranking: subjects with a figure above 0, the highest first, equal ones by id.
pub async fn rank(app: &App, ranking: Ranking, top: TopN) -> Result<RankingPage, sqlx::Error> {
    match view::rank(app, ranking, top).await {
        Ok(Some(ranked)) => return Ok(ranked),
        Ok(None) => {}
        Err(error) => {
            tracing::debug!(%error, "the rankings in Redis are not reachable, PostgreSQL ranks");
        }
    }
    let read = |db| async move { store::rank::list(&db, ranking, top).await };
    app.read_stale(StaleRead::Rankings, read).await
}

/// Returns the rank of one program or performance, from 1, equal ones sharing theirs; `None` if the
/// ranking does not list it.
pub async fn rank_of(
    app: &App,
    ranking: Ranking,
    id: uuid::Uuid,
) -> Result<Option<i64>, sqlx::Error> {
    if let Ok(Some(rank)) = view::rank_of(app, ranking, id).await {
        return Ok(rank);
    }
    let read = |db| async move { store::rank::find(&db, ranking, id).await };
    app.read_stale(StaleRead::Rankings, read).await
}

/// Public ranks of one program by bookings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct PublicRank {
    /// Rank of today; `None` if nothing was booked today.
    pub today: Option<i64>,
    /// Rank of the last seven days, today included; `None` if nothing was booked in them.
    pub week: Option<i64>,
}

/// Returns the ranks of one program by bookings.
pub(crate) async fn public_rank(app: &App, id: ProgramId) -> Result<PublicRank, sqlx::Error> {
    let today = Span::today(app);
    let of = |span| Ranking { subject: Ranked::Programs, measure: RankedBy::Bookings, span };
    let (today, week) =
        tokio::try_join!(rank_of(app, of(today), id.0), rank_of(app, of(today.week()), id.0),)?;
    Ok(PublicRank { today, week })
}
