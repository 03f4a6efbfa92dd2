//! Lists of the entries of closed draws, kept in memory: they never change.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;

use super::{arithmetic::Sealed, store::entries as store};
use crate::{app::App, catalog::ProgramId, infra::postgres::shared_read};

/// Lists that are kept; one of 200,000 entries takes 6.4 MB.
const LISTS_MAX: u64 = 8;
/// How long a list is kept after its last use.
const IDLE_MAX: Duration = Duration::from_mins(10);
/// Entries that are read at once.
const PAGE: i64 = 20_000;
/// Entries of one page of the published list.
pub(crate) const ENTRIES_PER_PAGE: usize = 5_000;

/// Commitments of closed draws, in their order.
#[derive(Clone, Debug)]
pub struct ClosedLists(Cache<ProgramId, Arc<Vec<Sealed>>>);

impl Default for ClosedLists {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(LISTS_MAX).time_to_idle(IDLE_MAX).build())
    }
}

impl ClosedLists {
    /// Returns the list of a draw; call it for a closed one only.
    pub async fn of(
        &self,
        app: &App,
        program_id: ProgramId,
    ) -> Result<Arc<Vec<Sealed>>, Arc<sqlx::Error>> {
        self.0.try_get_with(program_id, shared_read(read(app, program_id))).await
    }
}

async fn read(app: &App, program_id: ProgramId) -> Result<Arc<Vec<Sealed>>, sqlx::Error> {
    let mut list: Vec<Sealed> = Vec::new();
    loop {
        let after = list.last().map_or_else(Vec::new, |last| last.to_vec());
        let page = store::list_entries(&app.db, program_id, &after, PAGE).await?;
        let is_last = i64::try_from(page.len()).is_ok_and(|n| n < PAGE);
        list.extend(page.into_iter().filter_map(|(_, stored)| Sealed::try_from(stored).ok()));
        if is_last {
            return Ok(Arc::new(list));
        }
    }
}

/// Returns a page of the list as text, one commitment in hex a line; `None` behind the last. An empty
/// list has one empty page.
pub fn page_of(list: &[Sealed], number: usize) -> Option<String> {
    let first = number.checked_mul(ENTRIES_PER_PAGE)?;
    if first > 0 && first >= list.len() {
        return None;
    }
    let page = list.iter().skip(first).take(ENTRIES_PER_PAGE);
    Some(page.map(|commitment| hex::encode(commitment) + "\n").collect())
}
