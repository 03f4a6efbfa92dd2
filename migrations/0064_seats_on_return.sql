-- The seats of one performance that are on return. Its map asks whether there is any, and a search for
-- the best seats which they are: without this index both read the seats on return of every performance.
create index schedule_seats_on_return on schedule_seats (schedule_id)
    where return_id is not null and schedule_id is not null;
