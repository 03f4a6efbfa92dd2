//! Plans that the connections of a pool keep, and when they are made anew.
//!
//! A connection plans a statement once ([`PLANNER_OPTIONS`](super::settings::PLANNER_OPTIONS)). The
//! planner knows the size of a table from the last `vacuum` or `analyze`. Where that found it empty,
//! every index seems to cost the same, and the plan may read all of another one. Such a plan is
//! harmless while the table is small, and kept until the server analyzes the table: a minute by
//! default, which is the minute in which a sale opens. So plans are dropped when a table has grown.

use std::sync::atomic::{AtomicI64, Ordering};

use sqlx::PgExecutor;

/// Sizes that the tables have grown to: a plan made for other sizes is made anew.
#[derive(Debug, Default)]
pub(crate) struct TableSizes(AtomicI64);

impl TableSizes {
    pub(crate) fn newest(&self) -> SizeMark {
        SizeMark(self.0.load(Ordering::Acquire))
    }

    pub(crate) fn set(&self, mark: SizeMark) {
        self.0.store(mark.0, Ordering::Release);
    }
}

/// Sum of the size classes of all tables. It changes at most four times for a growing table: beyond
/// 512 pages the planner's estimate distinguishes the indexes, however old it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct SizeMark(i64);

/// Reads the sizes of all tables.
pub(crate) async fn read_sizes(db: impl PgExecutor<'_>) -> Result<SizeMark, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select coalesce(sum(width_bucket(
            pg_relation_size(oid) / current_setting('block_size')::bigint,
            array[1, 8, 64, 512]::bigint[]
        )), 0)::bigint as "mark!: SizeMark"
        from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
        "#,
    )
    .fetch_one(db)
    .await
}
