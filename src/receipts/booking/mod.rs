//! Booking of what was sold and given back, in the order of time: one tick of a worker.

mod part;

use chrono::TimeDelta;
use uuid::Uuid;

use self::part::BookedPart;
use super::{
    model::{ReceiptNumber, SaleTerms},
    store::{
        due::{self, BookingProgress, DueKind},
        written::{self, NewReceipt, Seller},
    },
};
use crate::{
    app::App,
    infra::{
        postgres::{Connection, find_set_back, read_horizon},
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
    if horizon < progress.booked_until
        && let Some(again) = find_set_back(&mut tx, progress.booked_until).await?
    {
        // What is paid now is before what is booked, which is passed over.
        (progress.booked_until, progress.booked_id) = (again, Uuid::nil());
        written::update_progress(&mut tx, &progress).await?;
        tx.commit().await?;
        return Ok(1);
    }
    let rows = due::list(&mut tx, &progress, horizon, rows_max).await?;
    let Some(last) = rows.last().copied() else {
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
    for row in &rows {
        match row.kind {
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
