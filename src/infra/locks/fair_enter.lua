-- Joins the line or comes back to it, and takes the lock if the waiter is next.
--
-- Run by: infra::locks::FairLocks::take, behind fair_line.lua
--
-- KEYS[1..6]  as fair_line.lua names them
-- ARGV[8]  lease_ms      when the lock ends by itself
-- ARGV[9]  presence_ms   how long the waiter counts as present without asking again
--
-- Returns  { taken 0|1, fence, waiting, ahead, gap_us or -1 }
--
-- Why a script: whether the lock is free and who is first must be one look, or a
-- newcomer would pass somebody who waits.
-- Cost: O(log n).

local lease_ms, presence_ms = ARGV[8], tonumber(ARGV[9])

sweep()
local held = redis.call('GET', holder)
local arrival = redis.call('ZSCORE', line, waiter)
if not arrival then
  arrival = string.format('%.0f', next_number())
  redis.call('ZADD', line, arrival, waiter)
end
redis.call('ZADD', present, arrival, waiter)
redis.call('ZADD', deadline, now_ms + presence_ms, waiter)

-- A mark of this very attempt is the answer to a command that was sent twice.
if not held or held == mark then
  local first = held and waiter or first_present()
  if first == waiter then
    forget(waiter)
    redis.call('SET', holder, mark, 'PX', lease_ms)
    local waiting, _, gap = view()
    return { 1, next_number(), waiting, 0, gap }
  elseif first then
    wake(first)
  end
end
for _, key in ipairs({ line, present, deadline }) do
  redis.call('PEXPIRE', key, kept_ms)
end
local waiting, ahead, gap = view()
return { 0, 0, waiting, ahead, gap }
