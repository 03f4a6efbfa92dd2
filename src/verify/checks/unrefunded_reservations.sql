-- Lists paid reservations with unused tickets in a wound-down program: winding down refunds each of
-- them.
select 'reservation ' || reservations.id as "subject!",
    format('is paid, with %s tickets that were not used, though its program %s was wound '
        'down at %s', count(*), programs.id, wound_down_at) as "sentence!"
from programs
join reservations on program_id = programs.id and reservations.status = 'CONFIRMED'
join reservation_items items on reservation_id = reservations.id
join tickets on reservation_item_id = items.id and tickets.status = 'VALID'
where wound_down_at is not null
group by reservations.id, programs.id
limit $1
