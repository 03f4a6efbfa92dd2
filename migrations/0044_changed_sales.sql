-- One count may change very many daily sales, and the ranking in Redis reads them a few at a time. The
-- index is in the order of that reading, so that none is sorted again. Its condition is true for every
-- row, and only its own statement states it, for the reason given at `schedule_seats_available`.
drop index daily_sales_changed_in;
create index daily_sales_changed_in on daily_sales (changed_in, day, schedule_id) where changed_in > 0;
