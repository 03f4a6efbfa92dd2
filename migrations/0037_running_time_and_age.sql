-- What people ask before they buy: how long a performance takes, and from what age on people may come.
-- Null: not said.
alter table programs
    add column running_mins integer,
    add column age_min integer,
    add constraint programs_running_mins_range check (running_mins between 1 and 1440),
    add constraint programs_age_min_range check (age_min between 1 and 99);
