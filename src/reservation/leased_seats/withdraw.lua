-- Ends leases that still have their mark.
--
-- Run by: reservation::leased_seats::withdraw
--
-- KEYS[1]     leased   sorted set  seats by the end of their lease, in milliseconds
-- KEYS[2..n]  lease    string      the holder's mark
-- ARGV[1]  mark       of the leases
-- ARGV[2..]           the seats, in the order of their keys
--
-- Returns  the number of leases that were ended
--
-- Why a script: compare and delete must be atomic, or the lease of another holder could be ended.
-- Cost: O(n log m) in the keys named and the leases remembered.

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local n_ended = 0
for i = 2, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[1] then
    redis.call('DEL', KEYS[i])
    -- Viewers who saw the seat as held get its change.
    redis.call('ZADD', KEYS[1], now_ms, ARGV[i])
    n_ended = n_ended + 1
  end
end
return n_ended
