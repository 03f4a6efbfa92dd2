//! SQL of settlements.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::model::{Dimension, PeriodPart, SettledGroup, SettledRow, SettledSums};
use crate::{
    catalog::ProgramId,
    infra::postgres::Pool,
    receipts::model::SaleEntryKind,
    text::times::{rfc3339_in, zone},
};

/// Row of the sums: one group, and which column it is of.
struct SumRow {
    currency: Option<String>,
    /// Columns that it is not of, as a bit each, the first one the highest.
    bits: i32,
    program_id: Option<Uuid>,
    schedule_id: Option<Uuid>,
    section: Option<String>,
    price_type: Option<String>,
    code: Option<String>,
    channel: Option<String>,
    day: Option<NaiveDate>,
    title: Option<String>,
    starts_at: Option<DateTime<Utc>>,
    time_zone: Option<String>,
    places_sold: i64,
    places_back: i64,
    sold: i64,
    taken_off: i64,
    given_back: i64,
    kept: i64,
    net: i64,
    net_points: i64,
    tax: i64,
}

/// Columns by which is summed, in the order of the bits.
const COLUMNS: [Dimension; 7] = [
    Dimension::Show,
    Dimension::Performance,
    Dimension::Section,
    Dimension::PriceType,
    Dimension::Code,
    Dimension::Channel,
    Dimension::Day,
];

impl SumRow {
    fn dimension(&self) -> Dimension {
        let is_of = |nth: usize| self.bits & (1 << (COLUMNS.len() - 1 - nth)) == 0;
        let found = COLUMNS.iter().enumerate().find(|(nth, _)| is_of(*nth));
        found.map_or(Dimension::Total, |(_, dimension)| *dimension)
    }

    fn grouped(self) -> (SettledGroup, SettledRow) {
        let dimension = self.dimension();
        let begins = self.starts_at.zip(self.time_zone);
        let begins = begins.map(|(at, of)| rfc3339_in(at, zone(&of)));
        let (key, name) = match dimension {
            Dimension::Total => (None, None),
            Dimension::Show => (self.program_id.map(|id| id.to_string()), self.title),
            Dimension::Performance => (self.schedule_id.map(|id| id.to_string()), begins),
            Dimension::Section => (self.section, None),
            Dimension::PriceType => (self.price_type, None),
            Dimension::Code => (self.code, None),
            Dimension::Channel => (self.channel, None),
            Dimension::Day => (self.day.map(|day| day.to_string()), None),
        };
        let group = SettledGroup { currency: self.currency, dimension, key };
        let sums = SettledSums {
            places_sold: self.places_sold,
            places_back: self.places_back,
            sold: self.sold,
            taken_off: self.taken_off,
            given_back: self.given_back,
            kept: self.kept,
            net: self.net,
            net_points: self.net_points,
            tax: self.tax,
        };
        (group, SettledRow { name, sums })
    }
}

/// Adds up the entries of a span of time, of one show or of all.
pub(super) async fn sum(
    db: &Pool,
    program_id: Option<ProgramId>,
    span: &PeriodPart,
) -> Result<Vec<(SettledGroup, SettledRow)>, sqlx::Error> {
    let rows = sqlx::query_as!(
        SumRow,
        r#"
        select e.currency,
            grouping(e.program_id, e.schedule_id, l.section, l.price_type, e.code, e.channel, e.day) as "bits!",
            e.program_id as "program_id?", e.schedule_id as "schedule_id?", l.section as "section?",
            l.price_type as "price_type?", e.code as "code?", e.channel as "channel?", e.day as "day?",
            max(e.title) as title, min(e.starts_at) as starts_at, min(e.time_zone) as time_zone,
            coalesce(sum(l.places) filter (where e.kind = 'PAYMENT'), 0) as "places_sold!",
            coalesce(-sum(l.places) filter (where e.kind <> 'PAYMENT'), 0) as "places_back!",
            coalesce(sum(l.price * e.unit) filter (where e.kind = 'PAYMENT'), 0)::bigint as "sold!",
            sum(l.discount * e.unit)::bigint as "taken_off!",
            coalesce(-sum((l.price + l.fee) * e.unit) filter (where e.kind <> 'PAYMENT'), 0)::bigint
                as "given_back!",
            sum(l.fee * e.unit)::bigint as "kept!",
            sum((l.price + l.fee) * e.unit)::bigint as "net!",
            sum(l.price + l.fee)::bigint as "net_points!",
            coalesce(sum(l.tax_minor), 0)::bigint as "tax!"
        from (
            select id, kind, program_id, schedule_id, title, starts_at, time_zone, code, channel, currency,
                coalesce(point_minor, 1)::numeric as unit, (at at time zone $4)::date as day
            from (
                select * from sale_entries where $1::uuid is null and at >= $2 and at < $3
                union all
                select * from sale_entries where program_id = $1 and channel <> '' and at >= $2 and at < $3
            ) spanned
            offset 0
        ) e
        cross join lateral (
            select section, price_type, places, price, discount, fee, tax_minor
            from sale_entry_lines where entry_id = e.id offset 0
        ) l
        group by e.currency, grouping sets (
            (), (e.program_id), (e.schedule_id), (l.section), (l.price_type), (e.code), (e.channel), (e.day)
        )
        "#,
        program_id as _,
        span.from,
        span.until,
        span.zone.name(),
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(SumRow::grouped).collect())
}

/// Line of a sale entry, as the files have it.
#[derive(Clone, Debug)]
pub(super) struct SettledLine {
    pub id: Uuid,
    pub at: DateTime<Utc>,
    pub kind: SaleEntryKind,
    pub line: i32,
    /// Number of the newest receipt; `None` without one.
    pub receipt: Option<i64>,
    pub reservation_id: Uuid,
    pub program_id: Uuid,
    pub title: String,
    pub schedule_id: Uuid,
    pub starts_at: DateTime<Utc>,
    pub time_zone: String,
    pub section: String,
    pub price_type: Option<String>,
    pub code: Option<String>,
    pub channel: String,
    pub places: i32,
    pub price: i64,
    pub discount: i64,
    pub fee: i64,
    pub currency: Option<String>,
    pub point_minor: Option<i32>,
    pub tax_rate_bp: Option<i32>,
    pub tax_minor: Option<i64>,
}

/// Entry behind which a list goes on.
pub(super) type Behind = (DateTime<Utc>, Uuid);

/// Lists the lines of at most `rows_max` entries of a span of time, of one show or of all, behind an entry of it, by
/// time.
pub(super) async fn list(
    db: &Pool,
    program_id: Option<ProgramId>,
    span: &PeriodPart,
    behind: Behind,
    rows_max: i64,
) -> Result<Vec<SettledLine>, sqlx::Error> {
    sqlx::query_as!(
        SettledLine,
        r#"
        select e.id as "id!", e.at as "at!", e.kind as "kind!: SaleEntryKind", l.number as line,
            (select max(number) from receipts where entry_id = e.id) as receipt,
            e.reservation_id as "reservation_id!", e.program_id as "program_id!", e.title as "title!",
            e.schedule_id as "schedule_id!", e.starts_at as "starts_at!", e.time_zone as "time_zone!",
            l.section, l.price_type, e.code, e.channel as "channel!", l.places, l.price, l.discount, l.fee,
            e.currency, e.point_minor, e.tax_rate_bp, l.tax_minor
        from (
            (
                select * from sale_entries
                where $1::uuid is null and at >= $2 and at < $3 and (at > $2 or id > $4)
                order by at, id
                limit $5
            )
            union all
            (
                select * from sale_entries
                where program_id = $1 and channel <> '' and at >= $2 and at < $3 and (at > $2 or id > $4)
                order by at, id
                limit $5
            )
        ) e
        cross join lateral (
            select * from sale_entry_lines where entry_id = e.id offset 0
        ) l
        order by e.at, e.id, l.number
        "#,
        program_id as _,
        behind.0.max(span.from),
        span.until,
        behind.1,
        rows_max,
    )
    .fetch_all(db)
    .await
}
