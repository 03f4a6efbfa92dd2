-- Lists tickets whose code was void before: an old code must never admit again.
select 'ticket ' || tickets.id as "subject!",
    format('has a code that was void since hand-over %s', hand_over_id) as "sentence!"
from ticket_holder_changes
join tickets on sha256(convert_to(code, 'UTF8')) = code_hash
limit $1
