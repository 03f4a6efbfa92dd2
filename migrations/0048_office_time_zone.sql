-- The clock by whose days bookings are counted: null before any was counted.
--
-- It is the office's when the first booking is counted, and stays: days that are over would have to be
-- counted again with another one.
alter table daily_sales_progress add column time_zone text;

update daily_sales_progress set time_zone = 'Asia/Seoul' where exists (select from daily_sales);
