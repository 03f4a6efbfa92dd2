//! Reading the catalog through caches of a second.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;
use uuid::Uuid;

use super::{
    model::{Listing, Program, ProgramId, Schedule, ScheduleId, ScheduleListing},
    popular, store,
};
use crate::{app::App, infra::postgres::shared_read};

/// How old a listed number may be.
const LISTING_TTL: Duration = Duration::from_secs(1);
/// Programs and listings kept at once.
const ENTRIES_MAX: u64 = 1_000;

/// Reads fail for all who waited for one answer together.
type Shared<T> = Result<T, Arc<sqlx::Error>>;

/// Programs and their performances, read within the last second.
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
    /// The program called `slug_or_id`, unless it is not shown.
    pub async fn find(&self, app: &App, slug_or_id: &str) -> Shared<Option<Arc<Program>>> {
        if !may_be_a_name(slug_or_id) {
            return Ok(None);
        }
        let read = async {
            let id = Uuid::try_parse(slug_or_id).ok();
            let found = store::find_program(&app.db, slug_or_id, id).await?;
            Ok(found.map(Arc::new))
        };
        self.named.try_get_with_by_ref(slug_or_id, shared_read(read)).await
    }

    /// The performance `id`. Whether it may be booked is asked where it is booked.
    pub async fn performance(&self, app: &App, id: ScheduleId) -> Shared<Option<Schedule>> {
        self.performances.try_get_with(id, shared_read(store::find_schedule(&app.db, id))).await
    }
}

/// Whether a program could have this name. Whatever else strangers type into the address
/// is not looked up, and takes no room in the cache.
fn may_be_a_name(text: &str) -> bool {
    const BYTES_MAX: usize = 80;
    text.len() <= BYTES_MAX && text.bytes().all(|b| b == b'-' || b.is_ascii_alphanumeric())
}

/// What the home page and the program pages list.
#[derive(Clone, Debug)]
pub struct Listings {
    programs: Cache<(), Arc<Vec<Listing>>>,
    popular: Cache<(), Arc<Vec<Listing>>>,
    schedules: Cache<ProgramId, Arc<Vec<ScheduleListing>>>,
}

impl Default for Listings {
    fn default() -> Self {
        Self {
            programs: Cache::builder().time_to_live(LISTING_TTL).max_capacity(1).build(),
            popular: Cache::builder().time_to_live(LISTING_TTL).max_capacity(1).build(),
            schedules: Cache::builder().time_to_live(LISTING_TTL).max_capacity(ENTRIES_MAX).build(),
        }
    }
}

impl Listings {
    pub(crate) async fn programs(&self, app: &App) -> Shared<Arc<Vec<Listing>>> {
        let read = async { store::list_programs(&app.db, app.now()).await.map(Arc::new) };
        self.programs.try_get_with((), shared_read(read)).await
    }

    /// What most people book today.
    pub(crate) async fn popular(&self, app: &App) -> Shared<Arc<Vec<Listing>>> {
        let read = async {
            let ranked = popular::list_ranked(app).await?;
            store::list_ranked(&app.db, &ranked, app.now()).await.map(Arc::new)
        };
        self.popular.try_get_with((), shared_read(read)).await
    }

    /// The performances of a program that are still to come.
    pub async fn schedules(
        &self,
        app: &App,
        program_id: ProgramId,
    ) -> Shared<Arc<Vec<ScheduleListing>>> {
        let read =
            async { store::list_schedules(&app.db, program_id, app.now()).await.map(Arc::new) };
        self.schedules.try_get_with(program_id, shared_read(read)).await
    }
}

/// One performance.
pub async fn find_schedule(app: &App, id: ScheduleId) -> Result<Option<Schedule>, sqlx::Error> {
    store::find_schedule(&app.db, id).await
}
