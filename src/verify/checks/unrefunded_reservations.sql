-- Lists paid reservations with unused tickets in a wound-down program, or at a wound-down performance:
-- winding down refunds each of them.
select 'reservation ' || reservations.id as "subject!",
    format('is paid, with %s tickets that were not used, though its program %s or its performance %s was '
        'wound down at %s', count(*), programs.id, schedules.id,
        coalesce(schedules.wound_down_at, programs.wound_down_at)) as "sentence!"
from programs
join schedules on schedules.program_id = programs.id
join reservations on reservations.schedule_id = schedules.id and reservations.status = 'CONFIRMED'
join reservation_items items on reservation_id = reservations.id
join tickets on reservation_item_id = items.id and tickets.status = 'VALID'
where programs.wound_down_at is not null or schedules.wound_down_at is not null
group by reservations.id, programs.id, schedules.id
limit $1
