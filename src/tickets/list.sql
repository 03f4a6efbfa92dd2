-- Reads tickets, newest first: of the account $1 with the code $2 or after the ticket $3, at most $4, of the reservation
-- $5, or those with the ids $6. Each has a branch of its own, because a single plan for all would read the whole table.
with found as (
    (select id from tickets
     where account_id = $1
       and ($2::text is null or code = $2)
       and ($3::uuid is null or id < $3)
     order by id desc
     limit $4)
    union all
    (select ours.id from reservation_items item
     join tickets ours on ours.reservation_item_id = item.id
     where item.reservation_id = $5)
    union all
    (select id from unnest($6::uuid[]) as named (id))
)
select t.id as "id: TicketId", t.account_id as "account_id: AccountId",
       t.code as "code: TicketCode",
       t.status as "status: TicketStatus", t.used_at,
       i.reservation_id as "reservation_id: ReservationId",
       r.account_id as "owner_id: AccountId", a.name as holder,
       exists (select from ticket_hand_overs
               where ticket_id = t.id and status = 'PENDING'
                 and expires_at > clock_timestamp() offset 0) as "is_offered!",
       exists (select from ticket_returns
               where ticket_id = t.id and status = 'OPEN' offset 0) as "is_on_return!",
       p.slug, p.title, p.poster_number, p.running_mins, p.doors_before_mins, d.starts_at, nullif(m.was_at, d.starts_at) as moved_from,
       told_notes(d.id, r.created_at, array[i.zone_id], array[i.schedule_seat_id]) as "changes!: Json<Vec<ToldNote>>", d.cancelled_at is not null or p.status = 'CANCELLED' as "is_cancelled!",
       p.version + d.version + v.version + changed.n as "revision!",
       greatest(r.settled_at, m.changed_at, changed.at, d.cancelled_at, p.cancelled_at) as "changed_at!", v.name as venue, v.address, v.time_zone,
       s.section as "section?", s.row_label as "row_label?", s.number as "number?",
       nullif(c.kind, 'STANDARD') as "kind: SeatKind", z.name as "zone?", i.unit_price as "price: _", pt.name as "price_type?",
       pt.note as "price_type_note?", category_at(s.id, s.price_category, r.created_at) as "category?"
from found
join tickets t on t.id = found.id
join accounts a on a.id = t.account_id
join reservation_items i on i.id = t.reservation_item_id
join reservations r on r.id = i.reservation_id
cross join lateral (
    -- How often a ticket of the order became void or got another holder, and when last.
    select (count(*) filter (where o.status = 'VOID') + coalesce(sum(h.n), 0))::bigint as n,
        greatest(max(h.at), (select max(settled_at) from ticket_returns where reservation_id = r.id)) as at
    from (select id from reservation_items where reservation_id = r.id offset 0) item
    cross join lateral (select id, status from tickets where reservation_item_id = item.id offset 0) o
    cross join lateral (
        select count(*) as n, max(changed_at) as at from ticket_holder_changes where ticket_id = o.id offset 0
    ) h
) changed
join programs p on p.id = r.program_id
join schedules d on d.id = r.schedule_id
join venues v on v.id = d.venue_id
left join schedule_seats c on c.id = i.schedule_seat_id
left join seats s on s.id = c.seat_id
left join zones z on z.id = i.zone_id
left join lateral (
    select name, note from price_types where id = i.price_type_id offset 0
) pt on true
cross join lateral (select greatest((select max(moved_at) from schedule_moves where schedule_id = d.id),
    (select max(changed_at) from schedule_changes where schedule_id = d.id)) as changed_at, (select was_at from told_move(d.id, r.created_at)) as was_at offset 0) m
order by t.id desc
