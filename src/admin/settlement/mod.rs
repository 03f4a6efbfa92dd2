//! Settlement of a show, or of a period across shows: what was sold and given back, what codes took off, what the house
//! keeps of refunds, and the tax, as a page and as files of all lines. Read only.
//!
//! It adds up sale entries (`receipts`), which are what the ledger has: a place is counted when it was paid, and taken
//! off when it came back, so a day that is over never changes.
//!
//! A period across shows also says what became of the money of points, the `money`.
//!
//! A long period is read month by month, so that no statement is longer for a year than for a month.

pub mod model;
pub mod money;
pub mod pages;
mod store;

use std::collections::BTreeMap;

use self::model::{Period, SettledGroup, SettledRow};
use crate::{
    app::{App, StaleRead},
    catalog::ProgramId,
};

/// Adds up the entries of a period, of one show or of all, by each dimension.
pub(crate) async fn settle(
    app: &App,
    program_id: Option<ProgramId>,
    period: Period,
) -> Result<BTreeMap<SettledGroup, SettledRow>, sqlx::Error> {
    let mut settled: BTreeMap<SettledGroup, SettledRow> = BTreeMap::new();
    for span in period.spans() {
        let read = |db| async move { store::sum(&db, program_id, &span).await };
        for (group, row) in app.read_stale(StaleRead::SalesFigures, read).await? {
            let whole = settled.entry(group).or_default();
            whole.sums.add(&row.sums);
            // The newest name is the one that people know.
            whole.name = row.name;
        }
    }
    Ok(settled)
}
