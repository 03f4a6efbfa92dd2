-- Reads the terms on which each account of $2 may hold seats of the performance $1, all at one
-- moment, and the wheelchair places among $3 that each has.
select asked.account_id as "account_id!: AccountId", moment.at as "moment!",
    (p.status = 'PUBLISHED' and s.cancelled_at is null and moment.at < p.off_sale_at and moment.at < s.starts_at
        and (p.on_sale_at <= moment.at or coalesce((
            select through_gate from queue_tokens
            where program_id = p.id and account_id = asked.account_id and status = 'ACTIVE'
            limit 1
        ), false))) as "is_on_sale!",
    p.hold_ttl_secs,
    s.starts_at - make_interval(hours => p.refund_until_hours) as "refund_until!",
    p.refund_percent, p.no_single_seats,
    p.places_per_order_min as places_min, p.places_per_account_max as places_max,
    (
        select coalesce(sum(i.quantity - i.returned), 0)
        from reservations r
        join reservation_items i on i.reservation_id = r.id and (i.live or i.awaits_return)
        where r.account_id = asked.account_id and r.program_id = p.id
          and r.status in ('HELD', 'CONFIRMED')
          and (r.status = 'CONFIRMED' or r.expires_at > moment.at)
    ) as "places_live!",
    case when p.unpaid_holds_max is not null then (
        select least(settled_at, expires_at) + make_interval(mins => p.cool_down_mins)
        from reservations
        where account_id = asked.account_id and program_id = p.id and wish_id is null
          and (status in ('EXPIRED', 'CANCELLED')
               or (status = 'HELD' and expires_at <= moment.at))
          and not (buys_return and status = 'CANCELLED' and exists (
              select from reservation_items i cross join lateral (
                  select settled_at from ticket_returns where id = i.return_id limit 1) t
              where i.reservation_id = reservations.id
                and t.settled_at <= reservations.settled_at offset 0))
        order by 1 desc
        limit 1 offset p.unpaid_holds_max - 1
    ) end as cools_until,
    coalesce(s.starts_at - make_interval(hours => s.kept_until_hours), s.starts_at)
        as "kept_until!",
    case when cardinality($3::bigint[]) > 0 then array(
        select w.seat_id
        from reservations r
        join reservation_items i on i.reservation_id = r.id and (i.live or i.awaits_return)
        join schedule_seats w on w.id = i.schedule_seat_id and w.seat_id = any($3)
        where r.account_id = asked.account_id and r.program_id = p.id
          and r.schedule_id = s.id and r.status in ('HELD', 'CONFIRMED')
          and (r.status = 'CONFIRMED' or r.expires_at > moment.at)
    ) end as "wheelchairs: Vec<SeatId>",
    exists (
        select from (
            select program_id from wishes
            where account_id = asked.account_id and status = 'WAITING' offset 0
        ) own
        where program_id = p.id
    ) as "has_wish!"
from schedules s
join programs p on p.id = s.program_id
cross join (select clock_timestamp() as at) moment
cross join unnest($2::uuid[]) as asked (account_id)
where s.id = $1
