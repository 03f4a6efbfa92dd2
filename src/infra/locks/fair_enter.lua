-- Joins the line or comes back to it, and takes the lock if the waiter is next.
--
-- Run by: infra::locks::FairLocks::take, behind fair_line.lua
--
-- KEYS, ARGV, returns  as fair_line.lua names them
--
-- Why a script: whether the lock is free and who is first must be one look, or a
-- newcomer would pass somebody who waits.
-- Cost: O(log n).

sweep()
local held = redis.call('GET', holder)
-- It was handed over and the message lost, or this command was sent twice.
if held == mark then return take() end

local arrival = redis.call('ZSCORE', line, waiter)
if not arrival then
  arrival = string.format('%.0f', next_number())
  redis.call('ZADD', line, arrival, waiter)
end
redis.call('ZADD', present, arrival, waiter)
redis.call('ZADD', deadline, now_ms + presence_ms, waiter)
redis.call('HSET', marks, waiter, mark)

if not held then
  local first = first_present()
  if first == waiter then return take() end
  if first then hand_over(first) end
end
for _, key in ipairs({ line, present, deadline, marks }) do
  redis.call('PEXPIRE', key, kept_ms)
end
local waiting, ahead, gap = view()
return { 0, 0, waiting, ahead, gap }
