//! Money of a period: every kind of entry of the ledger, with the money of its purchases and payouts, so that what was
//! charged, less what went back, is what the house earned and the change of the points that people have.
//!
//! # Invariants
//!
//! * No kind of entry is left out, and each is in one part of the equation.
//! * Points are the ledger's, by the moment of their entries. Rehearsals have none here.
//! * Money of a reversal is what it adds to what is lost of its purchase (`wallet::charges::reversals::losses`).
//! * Money that came after its account was deleted gave no points, and has rows of its own.

pub mod model;
pub mod pages;
mod store;

use self::model::{DaySums, MoneyByDay, MoneyGroup, MoneyKind, MoneySums};
use super::model::{Period, PeriodPart};
use crate::{
    app::{App, StaleRead},
    infra::postgres::Pool,
    wallet::{Kind, charges::reversals::losses::list_losses},
};

/// Adds up the ledger of a period and its money, by day.
pub(crate) async fn add_up(app: &App, period: Period) -> Result<MoneyByDay, sqlx::Error> {
    let mut all = MoneyByDay::new();
    for span in period.spans() {
        let read = |db| async move { sum(&db, &span).await };
        for (key, sums) in app.read_stale(StaleRead::SalesFigures, read).await? {
            all.entry(key).or_default().add(&sums);
        }
    }
    Ok(all)
}

/// Adds up one part of a period.
async fn sum(db: &Pool, span: &PeriodPart) -> Result<DaySums, sqlx::Error> {
    let mut sums = store::sum_entries(db, span).await?;
    for loss in list_losses(db, span.from, span.until).await? {
        let kind = match (loss.is_unclaimed, loss.minor > 0) {
            (true, _) => MoneyKind::UnclaimedReturned,
            (false, true) => MoneyKind::Entry(Kind::Reversal),
            (false, false) => MoneyKind::Entry(Kind::Reinstatement),
        };
        let day = loss.at.with_timezone(&span.zone).date_naive();
        // The ledger has counted its entry; money without points has none there.
        let n_entries = i64::from(loss.is_unclaimed);
        let money = MoneySums { n_entries, minor: -loss.minor, ..MoneySums::default() };
        sums.push(((day, MoneyGroup { kind, currency: Some(loss.currency) }), money));
    }
    Ok(sums)
}
