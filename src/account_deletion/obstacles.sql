-- What keeps the account $1 from being deleted, at most $3 of each kind. Holds, transfers and
-- hand-overs past their end count only where $2.
select kind as "kind!", id as "id!", title as "title!", points as "points!: Points",
    until as "until!", time_zone as "time_zone!"
from (
    (select 'hold' as kind, r.id, p.title, r.total as points, r.expires_at as until,
        '' as time_zone
     from reservations r
     cross join lateral (select title from programs where id = r.program_id limit 1) p
     where r.account_id = $1 and r.status = 'HELD' and ($2 or r.expires_at > clock_timestamp())
     limit $3)
    union all
    (select 'tickets', r.id, p.title, r.total, s.starts_at, v.time_zone
     from reservations r
     cross join lateral (select title from programs where id = r.program_id limit 1) p
     cross join lateral (
        select starts_at, venue_id from schedules where id = r.schedule_id limit 1
     ) s
     cross join lateral (select time_zone from venues where id = s.venue_id limit 1) v
     where r.account_id = $1 and r.status = 'CONFIRMED' and s.starts_at > clock_timestamp()
        -- Places that other accounts have bought since are not lost with the account.
        and exists (select from reservation_items where reservation_id = r.id and live)
     limit $3)
    union all
    -- Tickets on return whose performance has begun: the next moment ends them.
    (select 'return', t.id, p.title, t.payout, s.starts_at, v.time_zone
     from (select * from ticket_returns where seller_id = $1 and status = 'OPEN' offset 0) t
     cross join lateral (
        select starts_at, venue_id, program_id from schedules where id = t.schedule_id limit 1
     ) s
     cross join lateral (select title from programs where id = s.program_id limit 1) p
     cross join lateral (select time_zone from venues where id = s.venue_id limit 1) v
     where $2 and s.starts_at <= clock_timestamp()
     limit $3)
    union all
    (select 'sent', t.id, coalesce(t.address, '…'), t.amount, t.expires_at, ''
     from transfers t
     where t.sender_id = $1 and t.status = 'PENDING' and ($2 or t.expires_at > clock_timestamp())
     limit $3)
    union all
    (select 'received', t.id, other.name, t.amount, t.expires_at, ''
     from transfers t
     cross join lateral (select name from accounts where id = t.sender_id limit 1) other
     where t.receiver_id = $1 and t.status = 'PENDING' and ($2 or t.expires_at > clock_timestamp())
     limit $3)
    union all
    -- Tickets that were handed over to the account, by the hand-over.
    (select 'received-ticket', h.id, p.title, 0, s.starts_at, v.time_zone
     from (select * from tickets where account_id = $1 offset 0) t
     cross join lateral (
        select h.id from ticket_hand_overs h
        where h.ticket_id = t.id and h.recipient_id = $1 and h.status = 'ACCEPTED'
        order by h.id desc limit 1
     ) h
     cross join lateral (
        select reservation_id from reservation_items where id = t.reservation_item_id limit 1
     ) i
     cross join lateral (
        select account_id, program_id, schedule_id from reservations
        where id = i.reservation_id limit 1
     ) r
     cross join lateral (select title from programs where id = r.program_id limit 1) p
     cross join lateral (
        select starts_at, venue_id from schedules where id = r.schedule_id limit 1
     ) s
     cross join lateral (select time_zone from venues where id = s.venue_id limit 1) v
     where t.status = 'VALID' and r.account_id <> $1 and s.starts_at > clock_timestamp()
     limit $3)
    union all
    -- Tickets of the account's shares, and shares that wait for the other ones.
    (select 'shared-ticket', s.id, p.title, 0, d.starts_at, v.time_zone
     from (select * from tickets where account_id = $1 offset 0) t
     cross join lateral (
        select share_id from share_places
        where reservation_item_id = t.reservation_item_id and number = t.number and live limit 1
     ) place
     cross join lateral (
        select id, reservation_id, payer_id, status from shares where id = place.share_id limit 1
     ) s
     cross join lateral (
        select account_id, program_id, schedule_id from reservations
        where id = s.reservation_id limit 1
     ) r
     cross join lateral (select title from programs where id = r.program_id limit 1) p
     cross join lateral (
        select starts_at, venue_id from schedules where id = r.schedule_id limit 1
     ) d
     cross join lateral (select time_zone from venues where id = d.venue_id limit 1) v
     where t.status = 'VALID' and s.status = 'PAID' and s.payer_id = $1 and r.account_id <> $1
        and d.starts_at > clock_timestamp()
     limit $3)
    union all
    (select 'share', s.id, p.title, s.amount, r.expires_at, ''
     from (select * from shares where payer_id = $1 offset 0) s
     cross join lateral (
        select account_id, program_id, expires_at from reservations
        where id = s.reservation_id limit 1
     ) r
     cross join lateral (select title from programs where id = r.program_id limit 1) p
     where s.status = 'WITHHELD' and r.account_id <> $1 and ($2 or r.expires_at > clock_timestamp())
     limit $3)
    union all
    (select case h.side when 0 then 'sent-offer' else 'received-offer' end, h.id, p.title, 0,
        h.expires_at, ''
     from (
        (select 0 as side, id, ticket_id, expires_at from ticket_hand_overs
         where sender_id = $1 and status = 'PENDING' limit $3)
        union all
        (select 1, id, ticket_id, expires_at from ticket_hand_overs
         where recipient_id = $1 and status = 'PENDING' limit $3)
     ) h
     cross join lateral (
        select reservation_item_id from tickets where id = h.ticket_id limit 1
     ) t
     cross join lateral (
        select reservation_id from reservation_items where id = t.reservation_item_id limit 1
     ) i
     cross join lateral (
        select program_id from reservations where id = i.reservation_id limit 1
     ) r
     cross join lateral (select title from programs where id = r.program_id limit 1) p
     where $2 or h.expires_at > clock_timestamp())
    union all
    (select 'wish', w.schedule_id, p.title, 0, w.created_at, ''
     from wishes w
     cross join lateral (select title from programs where id = w.program_id limit 1) p
     where w.account_id = $1 and w.status = 'WAITING'
     limit $3)
    union all
    (select 'purchase', c.id, '', c.points, c.expires_at, ''
     from (select * from charges where account_id = $1 offset 0) c
     where c.status = 'OPEN'
     limit $3)
) obstacles
order by kind, until, id
