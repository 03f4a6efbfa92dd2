-- Counts the waiters of fair locks: waiters inside a request, and waiters whose place is kept.
--
-- Run by: infra::locks::count
--
-- KEYS[1..n]  deadline  zset  of each lock, as fair_waiters.lua describes it
--
-- Returns  a list: the number of waiters of each lock, in the order of the keys
--
-- Why a script: the time must be the server's, as it is for the waiters.
-- Cost: O(log n) for each lock.

local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local counts = {}
for i, deadline in ipairs(KEYS) do
  counts[i] = redis.call('ZCOUNT', deadline, string.format('(%.0f', now_ms), '+inf')
end
return counts
