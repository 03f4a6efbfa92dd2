-- Gives the lock back, steps out of the line for a while, or leaves it for good.
--
-- Run by: infra::locks::attempt::Attempt, behind fair_line.lua
--
-- KEYS[1..7], ARGV[1..8]  as fair_line.lua names them
-- ARGV[9]  how   done: it had the lock; later: the place is kept; gone: it is given up
--
-- Returns  what fair_line.lua says
--
-- Why a script: compare and delete must be one step, and so must be the look at whether
-- the lock is free and who is first.
-- Cost: O(log n).

local GAP_US_MAX = 10000000
local how = ARGV[9]

local held = redis.call('GET', holder)
-- Its turn came just when it was about to go.
if how == 'later' then
  if held == mark then return keep() end
  local is_here = redis.call('HGET', marks, waiter) == mark
  if not held and is_here and first_present() == waiter then return take() end
end

local is_released = held == mark
if is_released then
  redis.call('DEL', holder)
end
local waits_as = redis.call('HGET', marks, waiter)
if waits_as and waits_as ~= mark then
  -- Another attempt of the same waiter keeps the place for itself.
elseif how == 'gone' then
  forget(waiter)
elseif how == 'later' and redis.call('ZSCORE', line, waiter) then
  step_out(waiter, now_ms)
end
if is_released then
  -- The time between two who gave it back while others waited is what one of them costs.
  local last = tonumber(redis.call('HGET', pace, 'last') or 0)
  if now_us - last < GAP_US_MAX and redis.call('ZCARD', line) > 0 then
    local gap = tonumber(redis.call('HGET', pace, 'gap') or (now_us - last))
    redis.call('HSET', pace, 'gap', string.format('%.0f', 0.9 * gap + 0.1 * (now_us - last)))
  end
  redis.call('HSET', pace, 'last', string.format('%.0f', now_us))
  redis.call('PEXPIRE', pace, kept_ms)
end
if is_released or not held then
  local first = first_present()
  if first then wake(first) end
end
local waiting, ahead, gap = view()
return { 0, 0, waiting, ahead, gap }
