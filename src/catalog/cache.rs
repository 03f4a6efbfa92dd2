//! Caches of a second in front of the catalog's reads.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;
use uuid::Uuid;

use super::{
    model::{Listing, Program, ProgramId, Schedule, ScheduleId, ScheduleListing},
    popularity::{self, PublicRank, Ranked, RankedBy, Ranking, Span, TopN},
    programs, store,
};
use crate::{
    app::{App, StaleRead},
    infra::postgres::shared_read,
};

/// Maximum age of a cached entry.
const LISTING_TTL: Duration = Duration::from_secs(1);
/// Upper bound of the performances on the home page that are booked most.
const POPULAR_MAX: i64 = 5;
/// Bound on entries of each cache.
const ENTRIES_MAX: u64 = 1_000;

/// Result of a read that several requests share, failure included.
type Shared<T> = Result<T, Arc<sqlx::Error>>;

/// Programs and performances, read within the last second.
#[derive(Clone, Debug)]
pub struct Programs {
    named: Cache<String, Option<Arc<Program>>>,
    performances: Cache<ScheduleId, Option<Schedule>>,
}

impl Default for Programs {
    fn default() -> Self {
        Self {
            named: Cache::builder().max_capacity(ENTRIES_MAX).time_to_live(LISTING_TTL).build(),
            performances: Cache::builder()
                .max_capacity(ENTRIES_MAX)
                .time_to_live(LISTING_TTL)
                .build(),
        }
    }
}

impl Programs {
    /// Returns the program with this slug or id; `None` for drafts and unknown ones.
    pub async fn find(&self, app: &App, slug_or_id: &str) -> Shared<Option<Arc<Program>>> {
        if !may_be_a_name(slug_or_id) {
            return Ok(None);
        }
        let read = async {
            let id = Uuid::try_parse(slug_or_id).ok();
            let found = programs::store::find(&app.db, slug_or_id, id, false).await?;
            Ok(found.map(Arc::new))
        };
        self.named.try_get_with_by_ref(slug_or_id, shared_read(read)).await
    }

    /// Returns the performance `id`, up to a second old; booking reads again whether it may be
    /// booked.
    pub async fn performance(&self, app: &App, id: ScheduleId) -> Shared<Option<Schedule>> {
        self.performances.try_get_with(id, shared_read(store::find_schedule(&app.db, id))).await
    }
}

/// Returns whether a slug or id may look like `text`. Other text is not looked up, so that
/// arbitrary addresses take no room in the cache.
pub(super) fn may_be_a_name(text: &str) -> bool {
    const BYTES_MAX: usize = 80;
    text.len() <= BYTES_MAX && text.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric())
}

/// Performances on the home page that are booked most.
#[derive(Debug, Default)]
pub struct Popular {
    /// The most booked first.
    pub listings: Vec<Listing>,
    /// Whether they are of the last seven days, because nothing was booked today.
    pub is_week: bool,
}

/// Lists of the home page and the program pages, read within the last second.
#[derive(Clone, Debug)]
pub struct Listings {
    programs: Cache<(), Arc<Vec<Listing>>>,
    popular: Cache<(), Arc<Popular>>,
    ranks: Cache<ProgramId, PublicRank>,
    schedules: Cache<ProgramId, Arc<Vec<ScheduleListing>>>,
}

impl Default for Listings {
    fn default() -> Self {
        Self {
            programs: Cache::builder().time_to_live(LISTING_TTL).max_capacity(1).build(),
            popular: Cache::builder().time_to_live(LISTING_TTL).max_capacity(1).build(),
            ranks: Cache::builder().time_to_live(LISTING_TTL).max_capacity(ENTRIES_MAX).build(),
            schedules: Cache::builder().time_to_live(LISTING_TTL).max_capacity(ENTRIES_MAX).build(),
        }
    }
}

impl Listings {
    /// Returns the published programs.
    pub async fn programs(&self, app: &App) -> Shared<Arc<Vec<Listing>>> {
        let now = app.now();
        let read = app.read_stale(StaleRead::Listings, |db| async move {
            store::list_programs(&db, now).await.map(Arc::new)
        });
        self.programs.try_get_with((), shared_read(read)).await
    }

    /// Returns the performances that are booked most.
    pub async fn popular(&self, app: &App) -> Shared<Arc<Popular>> {
        let read = async { list_popular(app).await.map(Arc::new) };
        self.popular.try_get_with((), shared_read(read)).await
    }

    /// Returns the ranks of a program by bookings.
    pub async fn rank(&self, app: &App, program_id: ProgramId) -> Shared<PublicRank> {
        let read = popularity::public_rank(app, program_id);
        self.ranks.try_get_with(program_id, shared_read(read)).await
    }

    /// Returns the upcoming performances of a program.
    pub async fn schedules(
        &self,
        app: &App,
        program_id: ProgramId,
    ) -> Shared<Arc<Vec<ScheduleListing>>> {
        let now = app.now();
        let read = app.read_stale(StaleRead::Performances, |db| async move {
            store::list_schedules(&db, program_id, now).await.map(Arc::new)
        });
        self.schedules.try_get_with(program_id, shared_read(read)).await
    }
}

/// Returns a program and its upcoming performances as its page shows them, drafts included, uncached;
/// `None` if it does not exist.
pub async fn find_prepared(
    app: &App,
    id: ProgramId,
) -> Result<Option<(Program, Vec<ScheduleListing>)>, sqlx::Error> {
    match programs::store::find_by_id(&app.db, id).await? {
        Some(program) => {
            let schedules = store::list_schedules(&app.db, id, app.now()).await?;
            Ok(Some((program, schedules)))
        }
        None => Ok(None),
    }
}

/// Returns one performance, uncached; `None` if it does not exist.
pub async fn find_schedule(app: &App, id: ScheduleId) -> Result<Option<Schedule>, sqlx::Error> {
    store::find_schedule(&app.db, id).await
}

/// Returns the most booked performances of today, or of the last seven days if nothing was booked
/// today.
async fn list_popular(app: &App) -> Result<Popular, sqlx::Error> {
    let (subject, measure) = (Ranked::Performances, RankedBy::Bookings);
    let today = Span::today(app);
    for span in [today, today.week()] {
        let top = TopN { offset: 0, rows_max: POPULAR_MAX };
        let found = popularity::rank(app, Ranking { subject, measure, span }, top).await?;
        let ids: Vec<ScheduleId> = found.ranked.iter().map(|one| ScheduleId(one.id)).collect();
        let (ids, now) = (&ids, app.now());
        let read = |db| async move { store::list_ranked(&db, ids, now).await };
        let listings = app.read_stale(StaleRead::Rankings, read).await?;
        if !listings.is_empty() {
            return Ok(Popular { listings, is_week: span.is_week });
        }
    }
    Ok(Popular::default())
}
