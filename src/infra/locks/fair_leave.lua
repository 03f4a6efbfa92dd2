-- Gives the lock back, steps out of the line for a while, or leaves it for good.
--
-- Run by: infra::locks::FairLocks::take and FairGuard::release, behind fair_line.lua
--
-- KEYS[1..6]  as fair_line.lua names them
-- ARGV[8]  how   done: only the lock; later: the place is kept; gone: it is given up
--
-- Returns  { released 0|1, waiting, ahead, gap_us or -1 }
--
-- Why a script: compare and delete must be one step, and whoever is next must be
-- told in the same one.
-- Cost: O(log n).

local GAP_US_MAX = 10000000
local how = ARGV[8]

local released = 0
if redis.call('GET', holder) == mark then
  redis.call('DEL', holder)
  released = 1
end
if how == 'gone' then
  forget(waiter)
elseif how == 'later' and redis.call('ZSCORE', line, waiter) then
  step_out(waiter, now_ms)
end
if released == 1 then
  -- The time between two who gave it back while others waited is what one of them costs.
  local last = tonumber(redis.call('HGET', pace, 'last') or 0)
  if now_us - last < GAP_US_MAX and redis.call('ZCARD', line) > 0 then
    local gap = tonumber(redis.call('HGET', pace, 'gap') or (now_us - last))
    redis.call('HSET', pace, 'gap', string.format('%.0f', 0.9 * gap + 0.1 * (now_us - last)))
  end
  redis.call('HSET', pace, 'last', string.format('%.0f', now_us))
  redis.call('PEXPIRE', pace, kept_ms)
end
if not redis.call('GET', holder) then
  local first = first_present()
  if first then wake(first) end
end
local waiting, ahead, gap = view()
return { released, waiting, ahead, gap }
