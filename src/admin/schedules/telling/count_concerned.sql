-- Counts the accounts that a change concerns: of the performance $1, of the performances of the program $2 or at
-- the venue $3 that are still to come; the others are null.
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
)
select
    (select count(distinct t.account_id)
     from paid
     cross join lateral (
        select id from reservation_items where reservation_id = paid.id offset 0
     ) i
     cross join lateral (
        select account_id from tickets
        where reservation_item_id = i.id and status <> 'VOID' offset 0
     ) t) as "holders!",
    (select count(distinct m.account_id)
     from paid
     cross join lateral (
        select account_id from payments
        where reservation_id = paid.id and status = 'COMPLETED' offset 0
     ) m) as "payers!",
    (select count(distinct h.account_id)
     from shown
     cross join lateral (
        select account_id from reservations
        where schedule_id = shown.id and status = 'HELD' and settled_at is null and expires_at > now()
        offset 0
     ) h) as "held!",
    (select coalesce(sum(w.waiting), 0)::bigint
     from shown
     cross join lateral (
        select count(*) as waiting from wishes
        where schedule_id = shown.id and status = 'WAITING' and settled_at is null
     ) w) as "waiting!",
    (select coalesce(sum(l.waiting + l.parked), 0)::bigint
     from (select distinct program_id from shown) of_program
     cross join lateral (
        select
            (select count(*) from queue_tokens
             where program_id = of_program.program_id and status = 'WAITING'
                and parked_at is null) as waiting,
            (select count(*) from queue_tokens
             where program_id = of_program.program_id and status = 'WAITING'
                and parked_at is not null) as parked
     ) l) as "in_line!"
