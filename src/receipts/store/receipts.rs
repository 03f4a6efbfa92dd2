//! SQL of receipts as they are read and replaced.

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, Pool},
    receipts::model::{ReceiptNumber, SaleEntryId, SaleEntryKind},
    reservation::ReservationId,
};

/// Receipt in a list.
#[derive(Clone, Debug)]
pub struct ListedReceipt {
    pub number: ReceiptNumber,
    pub kind: SaleEntryKind,
    pub issued_at: DateTime<Utc>,
    /// When it was paid or given back.
    pub at: DateTime<Utc>,
    pub account_id: AccountId,
    pub reservation_id: ReservationId,
    pub title: String,
    pub buyer: String,
    pub points: i64,
    pub currency: Option<String>,
    pub point_minor: Option<i32>,
    pub tax_rate_bp: Option<i32>,
    /// Tax in the points, in minor units; `None` if none is stated.
    pub tax_minor: Option<i64>,
    /// Receipt that it replaces.
    pub replaces: Option<ReceiptNumber>,
    /// Receipt that replaces it.
    pub replaced_by: Option<ReceiptNumber>,
}

/// Receipts that a list has.
#[derive(Clone, Copy, Debug)]
pub enum ReceiptsOf {
    All,
    Account(AccountId),
    /// Receipts of an account about one order.
    Order(AccountId, ReservationId),
}

/// Lists at most `rows_max` receipts with numbers below `before`, the newest first.
pub async fn list(
    db: &Pool,
    of: ReceiptsOf,
    before: i64,
    rows_max: i64,
) -> Result<Vec<ListedReceipt>, sqlx::Error> {
    let (account_id, reservation_id) = match of {
        ReceiptsOf::All => (None, None),
        ReceiptsOf::Account(id) => (Some(id), None),
        ReceiptsOf::Order(id, order) => (Some(id), Some(order)),
    };
    sqlx::query_as!(
        ListedReceipt,
        r#"
        select r.number as "number!: ReceiptNumber", e.kind as "kind: SaleEntryKind",
            r.issued_at as "issued_at!", e.at, r.account_id as "account_id!: AccountId",
            e.reservation_id as "reservation_id: ReservationId", e.title, r.buyer as "buyer!", e.points,
            e.currency, e.point_minor, e.tax_rate_bp,
            (select sum(tax_minor)::bigint from sale_entry_lines where entry_id = e.id) as tax_minor,
            (select number from receipts where entry_id = e.id and edition = r.edition - 1)
                as "replaces: ReceiptNumber",
            (select number from receipts where entry_id = e.id and edition = r.edition + 1)
                as "replaced_by: ReceiptNumber"
        from (
            (
                select * from receipts
                where $1::uuid is null and number < $3
                order by number desc
                limit $4
            )
            union all
            (
                select * from receipts
                where account_id = $1 and $2::uuid is null and edition > 0 and number < $3
                order by number desc
                limit $4
            )
            union all
            (
                select r.*
                from (
                    select id from (
                        select id, account_id from payments where reservation_id = $2 offset 0
                    ) paid
                    where account_id = $1
                ) p
                cross join lateral (select id from sale_entries where payment_id = p.id offset 0) e
                cross join lateral (select * from receipts where entry_id = e.id offset 0) r
                where r.number < $3
                order by r.number desc
                limit $4
            )
        ) r
        cross join lateral (select * from sale_entries where id = r.entry_id offset 0) e
        order by r.number desc
        "#,
        account_id as _,
        reservation_id as _,
        before,
        rows_max,
    )
    .fetch_all(db)
    .await
}

/// Receipt with all that stands on it but its lines.
#[derive(Clone, Debug)]
pub(in crate::receipts) struct ReceiptRow {
    pub number: ReceiptNumber,
    pub entry_id: SaleEntryId,
    pub kind: SaleEntryKind,
    pub account_id: AccountId,
    pub buyer: String,
    pub seller: String,
    pub seller_address: String,
    pub tax_number: String,
    pub issued_at: DateTime<Utc>,
    pub at: DateTime<Utc>,
    pub reservation_id: ReservationId,
    /// Account whose order it is; the payer of a share is another one.
    pub owner_id: AccountId,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    pub time_zone: String,
    pub points: i64,
    pub currency: Option<String>,
    pub point_minor: Option<i32>,
    pub tax_rate_bp: Option<i32>,
    pub replaces: Option<ReceiptNumber>,
    pub replaced_by: Option<ReceiptNumber>,
    /// Receipt of the payment of which something comes back, the one that was valid then.
    pub refund_of: Option<ReceiptNumber>,
}

/// Finds a receipt.
pub(in crate::receipts) async fn find(
    db: &Pool,
    number: ReceiptNumber,
) -> Result<Option<ReceiptRow>, sqlx::Error> {
    sqlx::query_as!(
        ReceiptRow,
        r#"
        select r.number as "number: ReceiptNumber", r.entry_id as "entry_id: SaleEntryId",
            e.kind as "kind: SaleEntryKind", r.account_id as "account_id: AccountId", r.buyer,
            r.seller, r.seller_address, r.tax_number, r.issued_at, e.at,
            e.reservation_id as "reservation_id: ReservationId",
            (select account_id from reservations where id = e.reservation_id) as "owner_id!: AccountId",
            e.title, e.starts_at, e.time_zone, e.points, e.currency, e.point_minor, e.tax_rate_bp,
            (select number from receipts where entry_id = e.id and edition = r.edition - 1)
                as "replaces: ReceiptNumber",
            (select number from receipts where entry_id = e.id and edition = r.edition + 1)
                as "replaced_by: ReceiptNumber",
            case when e.kind <> 'PAYMENT' then (
                select max(number) from (
                    select number from receipts where entry_id = (
                        select id from sale_entries where reference_id = e.payment_id and kind = 'PAYMENT'
                    ) offset 0
                ) paid
                where number < r.number
            ) end as "refund_of: ReceiptNumber"
        from (select * from receipts where number = $1 offset 0) r
        cross join lateral (select * from sale_entries where id = r.entry_id offset 0) e
        "#,
        number as _,
    )
    .fetch_optional(db)
    .await
}

/// Line as a receipt shows it: all places of one section and price type.
#[derive(Clone, Debug)]
pub(in crate::receipts) struct ReceiptLine {
    pub section: String,
    /// Name of the price type; `None` at the ordinary price.
    pub price_type: Option<String>,
    pub places: i64,
    pub price: i64,
    pub discount: i64,
    pub fee: i64,
    pub tax_minor: Option<i64>,
}

/// Lists the lines of an entry, by section and price type.
pub(in crate::receipts) async fn list_lines(
    db: &Pool,
    entry_id: SaleEntryId,
) -> Result<Vec<ReceiptLine>, sqlx::Error> {
    sqlx::query_as!(
        ReceiptLine,
        r#"
        select section, price_type, sum(places) as "places!", sum(price)::bigint as "price!",
            sum(discount)::bigint as "discount!", sum(fee)::bigint as "fee!",
            sum(tax_minor)::bigint as tax_minor
        from (select * from sale_entry_lines where entry_id = $1 offset 0) line
        group by section, price_type
        order by section, price_type nulls first
        "#,
        entry_id as _,
    )
    .fetch_all(db)
    .await
}

/// Edition of a receipt, and the newest one of its payment or refund.
#[derive(Clone, Debug)]
pub(in crate::receipts) struct Edition {
    pub edition: i32,
    pub newest: ReceiptNumber,
    pub newest_buyer: String,
}

/// Finds the edition of a receipt of an account, while [`lock_next_number`] keeps others out.
pub(in crate::receipts) async fn find_edition(
    tx: &mut Connection,
    account_id: AccountId,
    number: ReceiptNumber,
) -> Result<Option<Edition>, sqlx::Error> {
    sqlx::query_as!(
        Edition,
        r#"
        select r.edition, newest.number as "newest: ReceiptNumber", newest.buyer as newest_buyer
        from (select * from receipts where number = $1 offset 0) r
        cross join lateral (
            select number, buyer from receipts where entry_id = r.entry_id order by edition desc limit 1
        ) newest
        where r.account_id = $2
        "#,
        number as _,
        account_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Locks the counter and returns the next number; waits for a worker that books.
pub(in crate::receipts) async fn lock_next_number(
    tx: &mut Connection,
) -> Result<ReceiptNumber, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select next_number as "number: ReceiptNumber" from receipt_progress for no key update"#,
    )
    .fetch_one(tx)
    .await
}

/// Writes the next number, which [`lock_next_number`] has locked.
pub(in crate::receipts) async fn update_next_number(
    tx: &mut Connection,
    next: ReceiptNumber,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update receipt_progress set next_number = $1", next as _).execute(tx).await?;
    Ok(())
}

/// Receipt that replaces another, to be written.
#[derive(Clone, Copy, Debug)]
pub(in crate::receipts) struct NewEdition<'a> {
    pub number: ReceiptNumber,
    pub replaces: ReceiptNumber,
    pub buyer: &'a str,
}

/// Inserts a receipt that replaces another, with the seller of that one.
pub(in crate::receipts) async fn insert_edition(
    tx: &mut Connection,
    new: &NewEdition<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        insert into receipts (number, entry_id, edition, account_id, buyer, seller, seller_address, tax_number)
        select $1, entry_id, edition + 1, account_id, $3, seller, seller_address, tax_number
        from receipts where number = $2
        "#,
        new.number as _,
        new.replaces as _,
        new.buyer,
    )
    .execute(tx)
    .await?;
    Ok(())
}
