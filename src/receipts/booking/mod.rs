//! Booking of what was sold and given back, in the order of time: one tick of a worker.

mod part;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use self::part::BookedPart;
use super::{
    model::{ReceiptNumber, SaleTerms},
    store::{
        due::{self, BookingProgress, DueKind, DueRow},
        written::{self, NewReceipt, Seller},
    },
};
use crate::{
    app::App,
    infra::{
        postgres::{Connection, read_horizon},
        sweep::Sweep,
    },
    office,
    text::prices::PriceUnit,
};

/// Orders, refunds and returns of one transaction, and transactions of one tick.
const SWEEP: Sweep = Sweep { rows_max: 100, parts_max: 50 };

/// Time behind which the progress follows where nothing is booked.
const IDLE_MAX: TimeDelta = TimeDelta::minutes(1);

/// Books what was sold and given back since the last tick, and issues its receipts. Does nothing while another
/// instance books.
pub async fn book_due(app: &App) -> Result<(), sqlx::Error> {
    SWEEP.parts(|rows_max| book_part(app, rows_max)).await
}

/// Books at most `rows_max` rows in one transaction; returns how many there were.
async fn book_part(app: &App, rows_max: i64) -> Result<usize, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(mut progress) = due::lock_progress(&mut tx).await? else { return Ok(0) };
    // Read after the lock: it is before every transaction that may still write.
    let horizon = read_horizon(&mut tx).await?;
    let rows = list_due(&mut tx, &progress, horizon, rows_max).await?;
    let Some((_, last)) = rows.last().copied() else {
        // What was found and is of rehearsals is not read again and again.
        if horizon - progress.booked_until > IDLE_MAX {
            (progress.booked_until, progress.booked_id) = (horizon, Uuid::nil());
            written::update_progress(&mut tx, &progress).await?;
            tx.commit().await?;
        }
        return Ok(0);
    };
    let (terms, seller) = terms_of(app, &mut tx).await?;
    let terms = (terms, progress.numbered_from);
    let mut part = BookedPart::read(&mut tx, &rows, terms).await?;
    for (kind, row) in &rows {
        match kind {
            DueKind::Paid => part.pay(row.id),
            DueKind::Returned => part.give_back(row.id),
            DueKind::Refunded => part.refund(row.id, row.at),
        }
    }
    let receipts = number(&part, &mut progress);
    written::insert_entries(&mut tx, &part.entries()).await?;
    written::insert_receipts(&mut tx, &receipts, &seller).await?;
    (progress.booked_until, progress.booked_id) = (last.at, last.id);
    written::update_progress(&mut tx, &progress).await?;
    tx.commit().await?;
    Ok(rows.len())
}

/// Lists what is due before `until`, the earliest first.
async fn list_due(
    tx: &mut Connection,
    progress: &BookingProgress,
    until: DateTime<Utc>,
    rows_max: i64,
) -> Result<Vec<(DueKind, DueRow)>, sqlx::Error> {
    let paid = due::list_paid(tx, progress, until, rows_max).await?;
    let returned = due::list_returned(tx, progress, until, rows_max).await?;
    let refunded = due::list_refunded(tx, progress, until, rows_max).await?;
    let of = |kind, rows: Vec<DueRow>| rows.into_iter().map(move |row| (kind, row));
    let all = of(DueKind::Paid, paid).chain(of(DueKind::Returned, returned));
    let mut all: Vec<_> = all.chain(of(DueKind::Refunded, refunded)).collect();
    all.sort_unstable_by_key(|(kind, row)| (row.at, row.id, *kind));
    // What is behind the end of a full list is not known.
    all.truncate(usize::try_from(rows_max).unwrap_or(usize::MAX));
    Ok(all)
}

/// Returns what is sold now for and by whom, as it is in PostgreSQL.
async fn terms_of(app: &App, tx: &mut Connection) -> Result<(SaleTerms, Seller), sqlx::Error> {
    let settings = office::store::find_newer(tx, i64::MIN).await?.unwrap_or_default();
    let name = match settings.texts.seller.as_str() {
        "" => settings.name(),
        seller => seller,
    };
    let seller = Seller {
        name: name.to_owned(),
        address: settings.texts.seller_address.clone(),
        tax_number: settings.texts.tax_number.clone(),
    };
    let price = match PriceUnit::of(&app.config.payment) {
        PriceUnit::Points => None,
        PriceUnit::Money(price) => Some(price),
    };
    let tax_rate_bp = settings.texts.tax_rate_bp.filter(|_| price.is_some());
    Ok((SaleTerms { price, tax_rate_bp }, seller))
}

/// Gives the entries that move points their numbers, in their order.
fn number(part: &BookedPart, progress: &mut BookingProgress) -> Vec<NewReceipt> {
    let mut receipts = Vec::new();
    for made in part.made() {
        if made.entry.points() == 0 || made.entry.at < progress.numbered_from {
            continue;
        }
        receipts.push(NewReceipt {
            number: ReceiptNumber(progress.next_number),
            entry_id: made.entry.id,
            account_id: made.account_id,
            buyer: made.buyer.clone(),
        });
        progress.next_number += 1;
    }
    receipts
}
