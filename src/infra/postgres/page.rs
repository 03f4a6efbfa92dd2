//! Paging of long lists by the key of the last row seen: the millionth row costs what the first one
//! did.

use schemars::JsonSchema;
use uuid::Uuid;

/// Rows on one page.
pub const PAGE_ROWS: i64 = 50;

/// Page of a list, with the key of the next.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// Rows of the page, at most [`PAGE_ROWS`].
    pub rows: Vec<T>,
    /// Key to ask for the next page with; `None` at the end.
    pub next: Option<Uuid>,
}

impl<T> Page<T> {
    /// Creates a page from the result of a query for [`PAGE_ROWS`] + 1 rows.
    pub fn cut(mut rows: Vec<T>, id: impl Fn(&T) -> Uuid) -> Self {
        let rows_max = usize::try_from(PAGE_ROWS).unwrap_or(usize::MAX);
        let has_more = rows.len() > rows_max;
        rows.truncate(rows_max);
        let next = if has_more { rows.last().map(id) } else { None };
        Self { rows, next }
    }
}

/// Query string of a paged list: `?after=<id>`.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, JsonSchema)]
pub struct After {
    /// Key of the last row of the previous page.
    pub after: Option<Uuid>,
}
