-- Lists the leased seats, and the seats whose lease has ended.
--
-- Run by: reservation::leased_seats::SeatLeases::read
--
-- KEYS[1]  leased   sorted set  seats by the end of their lease, in milliseconds
--
-- Returns  { leased seats }, { seats whose lease has ended }
--
-- Why a script: both lists are of one moment, by the clock that ends the leases.
-- Cost: O(n) in the leases remembered, at most the seats of the performance.

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
return {
  redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now_ms, '+inf'),
  redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now_ms),
}
