//! Long lists, a page at a time, by the key of the last row seen: the millionth row
//! costs what the first one did.

use uuid::Uuid;

/// Rows on one page.
pub(crate) const PAGE_ROWS: i64 = 50;

/// One page of a list and the key of the next.
#[derive(Clone, Debug)]
pub(crate) struct Page<T> {
    /// The rows, at most [`PAGE_ROWS`].
    pub rows: Vec<T>,
    /// What to ask for next; `None` at the end.
    pub next: Option<Uuid>,
}

impl<T> Page<T> {
    /// Cuts what a query for [`PAGE_ROWS`] + 1 rows gave.
    pub(crate) fn cut(mut rows: Vec<T>, id: impl Fn(&T) -> Uuid) -> Self {
        let rows_max = usize::try_from(PAGE_ROWS).unwrap_or(usize::MAX);
        let has_more = rows.len() > rows_max;
        rows.truncate(rows_max);
        let next = if has_more { rows.last().map(id) } else { None };
        Self { rows, next }
    }
}

/// The query of a paged list: `?after=<id>`.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
pub struct After {
    /// The last row of the page before.
    pub after: Option<Uuid>,
}
