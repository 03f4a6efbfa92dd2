//! SQL that writes entries, lines, receipts and the next number.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::due::BookingProgress;
use crate::{
    accounts::AccountId,
    infra::postgres::Connection,
    receipts::model::{ReceiptNumber, SaleEntry, SaleEntryId, SaleEntryKind, SaleLine},
};

/// Inserts entries with their lines.
pub(in crate::receipts) async fn insert_entries(
    tx: &mut Connection,
    entries: &[SaleEntry],
) -> Result<(), sqlx::Error> {
    let of = |pick: fn(&SaleEntry) -> Uuid| entries.iter().map(pick).collect::<Vec<_>>();
    let text = |pick: fn(&SaleEntry) -> String| entries.iter().map(pick).collect::<Vec<_>>();
    let moment =
        |pick: fn(&SaleEntry) -> DateTime<Utc>| entries.iter().map(pick).collect::<Vec<_>>();
    let kinds: Vec<SaleEntryKind> = entries.iter().map(|entry| entry.kind).collect();
    let codes: Vec<Option<String>> = entries.iter().map(|entry| entry.order.code.clone()).collect();
    let points: Vec<i64> = entries.iter().map(SaleEntry::points).collect();
    let prices = entries.iter().map(|entry| entry.order.terms.price);
    let currencies: Vec<Option<String>> =
        prices.clone().map(|price| price.map(|price| price.currency.to_string())).collect();
    let minors: Vec<Option<i32>> =
        prices.map(|price| price.and_then(|price| i32::try_from(price.minor.get()).ok())).collect();
    let rates: Vec<Option<i32>> =
        entries.iter().map(|entry| entry.order.terms.tax_rate_bp).collect();
    sqlx::query!(
        r#"
        insert into sale_entries (
            id, kind, reference_id, payment_id, reservation_id, schedule_id, program_id, title, starts_at,
            time_zone, channel, code, at, points, currency, point_minor, tax_rate_bp
        )
        select * from unnest(
            $1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[],
            $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::timestamptz[], $14::bigint[],
            $15::text[], $16::integer[], $17::integer[]
        )
        "#,
        &of(|entry| entry.id.0),
        kinds as _,
        &of(|entry| entry.reference_id),
        &of(|entry| entry.payment_id.0),
        &of(|entry| entry.order.reservation_id.0),
        &of(|entry| entry.order.schedule_id.0),
        &of(|entry| entry.order.program_id.0),
        &text(|entry| entry.order.title.clone()),
        &moment(|entry| entry.order.starts_at),
        &text(|entry| entry.order.time_zone.clone()),
        &text(|entry| entry.order.channel.as_ref().to_owned()),
        codes as _,
        &moment(|entry| entry.at),
        &points,
        currencies as _,
        minors as _,
        rates as _,
    )
    .execute(&mut *tx)
    .await?;
    insert_lines(tx, entries).await
}

async fn insert_lines(tx: &mut Connection, entries: &[SaleEntry]) -> Result<(), sqlx::Error> {
    let numbered = entries.iter().flat_map(|entry| {
        (1_i32..).zip(&entry.lines).map(|(number, line)| (entry.id.0, number, line))
    });
    let numbered: Vec<(Uuid, i32, &SaleLine)> = numbered.collect();
    let ids: Vec<Uuid> = numbered.iter().map(|(id, ..)| *id).collect();
    let numbers: Vec<i32> = numbered.iter().map(|(_, number, _)| *number).collect();
    let items: Vec<Uuid> = numbered.iter().map(|(.., line)| line.item_id.0).collect();
    let sections: Vec<String> = numbered.iter().map(|(.., line)| line.section.clone()).collect();
    let types: Vec<Option<String>> =
        numbered.iter().map(|(.., line)| line.price_type.clone()).collect();
    let places: Vec<i32> = numbered.iter().map(|(.., line)| line.places).collect();
    let taxes: Vec<Option<i64>> = numbered.iter().map(|(.., line)| line.tax_minor).collect();
    let points = |pick: fn(&SaleLine) -> i64| {
        numbered.iter().map(|(.., line)| pick(line)).collect::<Vec<_>>()
    };
    sqlx::query!(
        r#"
        insert into sale_entry_lines (
            entry_id, number, item_id, section, price_type, places, price, discount, fee, tax_minor
        )
        select * from unnest(
            $1::uuid[], $2::integer[], $3::uuid[], $4::text[], $5::text[], $6::integer[], $7::bigint[],
            $8::bigint[], $9::bigint[], $10::bigint[]
        )
        "#,
        &ids,
        &numbers,
        &items,
        &sections,
        types as _,
        &places,
        &points(|line| line.price),
        &points(|line| line.discount),
        &points(|line| line.fee),
        taxes as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Seller as an office says it on a receipt.
#[derive(Clone, Debug, Default)]
pub(in crate::receipts) struct Seller {
    pub name: String,
    pub address: String,
    pub tax_number: String,
}

/// First receipt of an entry, to be written.
#[derive(Clone, Debug)]
pub(in crate::receipts) struct NewReceipt {
    pub number: ReceiptNumber,
    pub entry_id: SaleEntryId,
    pub account_id: AccountId,
    pub buyer: String,
}

/// Inserts the first receipts of entries.
pub(in crate::receipts) async fn insert_receipts(
    tx: &mut Connection,
    receipts: &[NewReceipt],
    seller: &Seller,
) -> Result<(), sqlx::Error> {
    let numbers: Vec<i64> = receipts.iter().map(|receipt| receipt.number.0).collect();
    let entries: Vec<Uuid> = receipts.iter().map(|receipt| receipt.entry_id.0).collect();
    let accounts: Vec<Uuid> = receipts.iter().map(|receipt| receipt.account_id.0).collect();
    let buyers: Vec<String> = receipts.iter().map(|receipt| receipt.buyer.clone()).collect();
    sqlx::query!(
        r#"
        insert into receipts (number, entry_id, edition, account_id, buyer, seller, seller_address, tax_number)
        select number, entry_id, 1, account_id, buyer, $5, $6, $7
        from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[])
            as new (number, entry_id, account_id, buyer)
        "#,
        &numbers,
        &entries,
        &accounts,
        &buyers,
        seller.name,
        seller.address,
        seller.tax_number,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes how far is booked, and the next number; [`lock_progress`](super::due::lock_progress) has locked the row.
pub(in crate::receipts) async fn update_progress(
    tx: &mut Connection,
    progress: &BookingProgress,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update receipt_progress set booked_until = $1, booked_id = $2, next_number = $3",
        progress.booked_until,
        progress.booked_id,
        progress.next_number,
    )
    .execute(tx)
    .await?;
    Ok(())
}
