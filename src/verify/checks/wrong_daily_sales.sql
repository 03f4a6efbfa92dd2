-- Lists days of performances whose counted bookings or revenue are not what was paid, refunded and sold
-- on, as far as it is counted and kept.
with events as (
    select schedule_id, program_id, confirmed_at as at, 1 as bookings, total as revenue
    from reservations where confirmed_at is not null
    union all
    select r.schedule_id, r.program_id, r.settled_at, -1, -coalesce(refunds.points, 0)
    from reservations r
    left join (
        select reservation_id, sum(entry.amount)::bigint as points
        from point_transactions entry
        join payments on payments.id = entry.reference_id
        where entry.kind = 'REFUND'
        group by reservation_id
    ) refunds on refunds.reservation_id = r.id
    where r.status = 'REFUNDED'
    union all
    select r.schedule_id, schedules.program_id, r.settled_at, 0, -r.payout
    from ticket_returns r
    join schedules on schedules.id = r.schedule_id
    where r.status = 'SOLD'
), true_sales as (
    select (at at time zone coalesce(time_zone, 'UTC'))::date as day, schedule_id,
        sum(bookings) as bookings, sum(revenue) as revenue
    from events
    cross join daily_sales_progress
    where at >= counted_from and at < counted_until and not is_throwaway(program_id)
    group by 1, 2
)
select format('performance %s on %s', schedule_id, day) as "subject!",
    format('has %s bookings and %s points counted, and had %s and %s',
        coalesce(d.bookings, 0), coalesce(d.revenue, 0),
        coalesce(t.bookings, 0), coalesce(t.revenue, 0)) as "sentence!"
from daily_sales d
full join true_sales t using (day, schedule_id)
cross join daily_sales_progress
where day >= kept_from
    and (coalesce(d.bookings, 0), coalesce(d.revenue, 0))
        is distinct from (coalesce(t.bookings, 0), coalesce(t.revenue, 0))
order by day, schedule_id
limit $1
