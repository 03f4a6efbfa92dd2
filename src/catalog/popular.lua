-- Counts one booking of a performance, if today's ranking exists.
--
-- Run by: catalog::popular::count_booking
--
-- KEYS[1]  popular  zset  schedule -> bookings today; "" -> -1 says that it is known
-- ARGV[1]  schedule
--
-- Returns  { counted 0|1 }
--
-- Why a script: a ranking that Redis lost must be rebuilt from PostgreSQL, not restarted at one;
-- the check and the increment are atomic.
-- Cost: O(log n).

if redis.call('ZSCORE', KEYS[1], '') == false then return { 0 } end
redis.call('ZINCRBY', KEYS[1], 1, ARGV[1])
return { 1 }
