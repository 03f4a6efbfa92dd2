-- Counts the accounts that a change concerns: of the performance $1, of the performances of the program $2 or at
-- the venue $3 that are still to come; the others are null. $4: only those with one of these seats of the venue; null: all.
with shown as materialized (
    select id, program_id from schedules where id = $1
    union all
    select d.id, d.program_id
    from schedules d join programs p on p.id = d.program_id
    where d.program_id = $2 and d.starts_at > clock_timestamp() and d.cancelled_at is null
        and p.status <> 'CANCELLED'
    union all
    select d.id, d.program_id
    from schedules d join programs p on p.id = d.program_id
    where d.venue_id = $3 and d.starts_at > clock_timestamp() and d.cancelled_at is null
        and p.status <> 'CANCELLED'
), paid as materialized (
    select r.id
    from shown
    cross join lateral (
        select id from reservations
        where schedule_id = shown.id and status = 'CONFIRMED' offset 0
    ) r
    where case when $4::bigint[] is null then exists (
            -- A reservation whose every place was resold is no part in the performance.
            select from reservation_items where reservation_id = r.id and quantity > returned offset 0)
        else has_seat_of(r.id, $4) end
), held as materialized (
    select h.id, h.account_id
    from shown
    cross join lateral (
        select id, account_id from reservations
        where schedule_id = shown.id and status = 'HELD' and settled_at is null and expires_at > now()
        offset 0
    ) h
    where $4::bigint[] is null or has_seat_of(h.id, $4)
)
select
    (select count(distinct t.account_id)
     from paid
     cross join lateral (
        select id from reservation_items i
        where reservation_id = paid.id and ($4::bigint[] is null or exists (
            select from schedule_seats where id = i.schedule_seat_id and seat_id = any($4) offset 0))
        offset 0
     ) i
     cross join lateral (
        select account_id from tickets
        where reservation_item_id = i.id and status <> 'VOID' offset 0
     ) t) as "holders!",
    (select count(distinct m.account_id)
     from paid
     cross join lateral (
        -- Who has had all of it back has no part any more.
        select account_id from payments p
        where reservation_id = paid.id and status = 'COMPLETED' and (amount = 0 or amount > (
            select coalesce(sum(price), 0) from ticket_returns
            where reservation_id = paid.id and payment_id = p.id and status = 'SOLD'))
        offset 0
     ) m) as "payers!",
    (select count(distinct account_id)
     from (
        select account_id from held
        union all
        -- Friends who have put in their share.
        select s.payer_id
        from held
        cross join lateral (
            select payer_id from shares
            where reservation_id = held.id and status = 'WITHHELD' offset 0
        ) s
     ) of_held) as "held!",
    (select coalesce(sum(w.waiting), 0)::bigint
     from shown
     cross join lateral (
        select count(*) as waiting from wishes
        where schedule_id = shown.id and status = 'WAITING' and settled_at is null
            and $4::bigint[] is null
     ) w) as "waiting!",
    (select coalesce(sum(l.waiting + l.parked + l.inside), 0)::bigint
     from (select distinct program_id from shown where $4::bigint[] is null) of_program
     cross join lateral (
        select
            (select count(*) from queue_tokens
             where program_id = of_program.program_id and status = 'WAITING'
                and parked_at is null) as waiting,
            (select count(*) from queue_tokens
             where program_id = of_program.program_id and status = 'WAITING'
                and parked_at is not null) as parked,
            (select count(*) from queue_tokens
             where program_id = of_program.program_id and status = 'ACTIVE') as inside
        union all
        -- The order of a draw that is still to come is not a line yet.
        select count(*), 0, 0
        from (
            select program_id from queue_draws
            where program_id = of_program.program_id and revealed_at is null offset 0
        ) d
        cross join lateral (
            select from queue_draw_entries where program_id = d.program_id offset 0
        ) e
     ) l) as "in_line!"
