-- Lists the accounts that a change of a locked performance concerns, each once, and whether it has a part in the
-- performance or only waits for places. $1 is the performance, $2 the zone whose places the change concerns, $3 the
-- seats of the performance; null: every place.
with changed as materialized (
    select id from schedules where id = $1
), paid as materialized (
    -- Items of paid orders. One whose every place was resold is no part in the performance.
    select r.id, r.account_id, i.id as item_id
    from changed
    cross join lateral (
        select id, account_id from reservations where schedule_id = changed.id and status = 'CONFIRMED' offset 0
    ) r
    cross join lateral (
        select id from reservation_items
        where reservation_id = r.id and quantity > returned and ($2::uuid is null or zone_id = $2)
            and ($3::bigint[] is null or schedule_seat_id = any($3)) offset 0
    ) i
), held as materialized (
    select r.id, r.account_id
    from changed
    cross join lateral (
        select id, account_id from reservations
        where schedule_id = changed.id and status = 'HELD' and settled_at is null and expires_at > now() offset 0
    ) r
    where ($2::uuid is null and $3::bigint[] is null or exists (
            select from reservation_items
            where reservation_id = r.id and (zone_id = $2 or schedule_seat_id = any($3)) offset 0))
)
select account_id as "id!: AccountId", bool_or(has_part) as "has_part!"
from (
    select account_id, true as has_part from paid
    union all
    select t.account_id, true
    from paid
    cross join lateral (
        select account_id from tickets
        where reservation_item_id = paid.item_id and status <> 'VOID' offset 0
    ) t
    union all
    -- A friend whose answer to an offered ticket is still to come.
    select h.recipient_id, true
    from paid
    cross join lateral (
        select id from tickets where reservation_item_id = paid.item_id and status = 'VALID' offset 0
    ) t
    cross join lateral (
        select recipient_id from ticket_hand_overs
        where ticket_id = t.id and status = 'PENDING' and expires_at > now() offset 0
    ) h
    union all
    select m.account_id, true
    from paid
    cross join lateral (
        -- Who has had all of it back has no part any more.
        select account_id from payments p
        where reservation_id = paid.id and status = 'COMPLETED' and (amount = 0 or amount > (
            select coalesce(sum(price), 0) from ticket_returns
            where reservation_id = paid.id and payment_id = p.id and status = 'SOLD'))
        offset 0
    ) m
    union all
    select account_id, true from held
    union all
    select s.payer_id, true
    from held
    cross join lateral (
        select payer_id from shares
        where reservation_id = held.id and status = 'WITHHELD' offset 0
    ) s
    union all
    select account_id, false from wishes
    where schedule_id = $1 and status = 'WAITING' and settled_at is null
        and ($2::uuid is null or zone_id = $2) and $3::bigint[] is null
) concerned
where account_id is not null
group by account_id
