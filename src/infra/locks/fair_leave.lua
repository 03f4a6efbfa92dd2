-- Releases the lock, marks the waiter absent for a while, or removes the waiter.
--
-- Run by: infra::locks::attempt::LockAttempt, behind fair_waiters.lua
--
-- KEYS[1..7], ARGV[1..9]  as fair_waiters.lua describes them
-- ARGV[10]  ending      done: it held the lock; later: its place is kept; gone: its place is
--                       given up
-- ARGV[11]  n_requests  carried out by the holder: its own and its followers'
--
-- Returns  what fair_waiters.lua describes
--
-- Why a script: compare and delete must be atomic, and so must be the check whether the lock
-- is free and which waiter is first.
-- Cost: O(log n).

local GAP_US_MAX = 10000000
-- Weight of the pace so far against that of one more request.
local GAP_KEPT = 0.9
local ending, n_requests = ARGV[10], tonumber(ARGV[11])

local held = redis.call('GET', holder)
-- This attempt got the lock, or may take it, just as it was about to leave.
if ending == 'later' then
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
  -- Another attempt of the same waiter is inside a request and keeps the place.
elseif ending == 'gone' then
  forget(waiter)
elseif ending == 'later' and redis.call('ZSCORE', waiters, waiter) then
  step_out(waiter, now_ms)
end
if is_released then
  -- The time between two releases while others waited is the cost of one holder: of all the
  -- requests that it carried out.
  local last = tonumber(redis.call('HGET', pace, 'last') or 0)
  local is_busy = n_requests > 1 or redis.call('ZCARD', waiters) > 0
  if now_us - last < GAP_US_MAX and is_busy then
    local one = (now_us - last) / n_requests
    local gap, kept = tonumber(redis.call('HGET', pace, 'gap') or one), GAP_KEPT ^ n_requests
    redis.call('HSET', pace, 'gap', string.format('%.0f', kept * gap + (1 - kept) * one))
  end
  redis.call('HSET', pace, 'last', string.format('%.0f', now_us))
  redis.call('PEXPIRE', pace, kept_ms)
end
if is_released or not held then
  local first = first_present()
  if first then wake(first) end
end
local waiting, ahead, gap = view()
return { 0, waiting, ahead, gap }
