-- Lists sale entries that are not what the ledger has, or not the sum of their lines; and entries of the ledger for
-- payments, refunds and resales, as far as these are booked, that have no sale entry. A rehearsal has none.
with moved as (
    select reference_id, kind, -sum(amount) as points
    from point_transactions
    where kind in ('PAYMENT', 'REFUND', 'RESALE')
    group by reference_id, kind
), entries as (
    select *, case when kind = 'TICKET_REFUND' then 'RESALE' else kind end as ledger_kind
    from sale_entries
), sums as (
    select entry_id, sum(price + fee) as points from sale_entry_lines group by entry_id
), sold as (
    select payments.id as reference_id, 'PAYMENT' as kind, confirmed_at as at, reservations.program_id
    from payments join reservations on reservations.id = reservation_id
    union all
    select payments.id, 'REFUND', reservations.settled_at, reservations.program_id
    from payments join reservations on reservations.id = reservation_id
    where reservations.status = 'REFUNDED'
    union all
    select ticket_returns.id, 'RESALE', ticket_returns.settled_at, schedules.program_id
    from ticket_returns join schedules on schedules.id = schedule_id
    where ticket_returns.status = 'SOLD'
)
select 'sale entry ' || entries.id as "subject!",
    format('of a %s has %s points, lines of %s and %s in the ledger', entries.kind, entries.points,
        coalesce(sums.points, 0), coalesce(moved.points, 0)) as "sentence!"
from entries
left join sums on sums.entry_id = entries.id
left join moved on moved.reference_id = entries.reference_id and moved.kind = entries.ledger_kind
where entries.points <> coalesce(moved.points, 0) or entries.points <> coalesce(sums.points, 0)
union all
select format('%s %s', lower(sold.kind), sold.reference_id), 'is not booked'
from sold
cross join receipt_progress
left join entries on entries.reference_id = sold.reference_id and entries.ledger_kind = sold.kind
where sold.at < booked_until and not is_throwaway(sold.program_id) and entries.id is null
limit $1
