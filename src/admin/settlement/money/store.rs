//! SQL of the money of a period.

use super::model::{DaySums, MoneyGroup, MoneyKind, MoneySums};
use crate::{admin::settlement::model::PeriodPart, infra::postgres::Pool, wallet::Kind};

/// Adds up the ledger of a span by kind and day, with the money of purchases and payouts, and the money that came after
/// its account was deleted. Reversals have their currency and no money here.
pub(super) async fn sum_entries(db: &Pool, span: &PeriodPart) -> Result<DaySums, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select e.day as "day!", e.kind as "kind?: Kind", m.currency as "currency?", count(*) as "n_entries!",
            sum(e.amount)::bigint as "points!", coalesce(sum(m.minor), 0)::bigint as "minor!",
            coalesce(sum(m.minor) filter (where m.is_under_way), 0)::bigint as "under_way_minor!"
        from (
            select kind, amount, reference_id, (created_at at time zone $3)::date as day
            from point_transactions
            where created_at at time zone 'UTC' >= $1::timestamptz at time zone 'UTC'
                and created_at at time zone 'UTC' < $2::timestamptz at time zone 'UTC'
                and not is_throwaway(wallet_id)
            offset 0
        ) e
        left join lateral (
            select currency, amount_minor as minor, false as is_under_way
            from charges where id = e.reference_id and e.kind = 'PURCHASE'
            union all
            select c.currency, case e.kind when 'PAYOUT' then -p.amount_minor else p.amount_minor end,
                p.status in ('OPEN', 'SENT')
            from (select * from payouts where id = e.reference_id and e.kind in ('PAYOUT', 'PAYOUT_RETURN') offset 0) p
            cross join lateral (select currency from charges where id = p.charge_id offset 0) c
            union all
            select c.currency, 0, false
            from (
                select charge_id from charge_reversals
                where id = e.reference_id and e.kind in ('REVERSAL', 'REINSTATEMENT') offset 0
            ) r
            cross join lateral (select currency from charges where id = r.charge_id offset 0) c
        ) m on true
        group by e.day, e.kind, m.currency
        union all
        select (unclaimed_at at time zone $3)::date, null, currency, count(*), 0, sum(amount_minor)::bigint, 0
        from charges
        where unclaimed_at >= $1 and unclaimed_at < $2
        group by 1, currency
        "#,
        span.from,
        span.until,
        span.zone.name(),
    )
    .fetch_all(db)
    .await?;
    let sums = rows.into_iter().map(|row| {
        let kind = row.kind.map_or(MoneyKind::Unclaimed, MoneyKind::Entry);
        let group = MoneyGroup { kind, currency: row.currency };
        let sums = MoneySums {
            n_entries: row.n_entries,
            points: row.points,
            minor: row.minor,
            under_way_minor: row.under_way_minor,
        };
        ((row.day, group), sums)
    });
    Ok(sums.collect())
}
