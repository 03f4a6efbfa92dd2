-- Adds or returns a waiter to the waiters, and takes the lock if this waiter is next.
--
-- Run by: infra::locks::attempt::LockAttempt, behind fair_waiters.lua
--
-- KEYS[1..7], ARGV[1..9]  as fair_waiters.lua describes them
--
-- Returns  what fair_waiters.lua describes
--
-- Why a script: whether the lock is free and which waiter is first must be read atomically,
-- or a newcomer would pass an earlier waiter.
-- Cost: O(log n).

expire_lapsed()
local held = redis.call('GET', holder)
if held == mark then return keep() end

-- This command is older than the claim: the holder has the request.
if is_claimed() then
  local waiting, ahead, gap = view()
  return { 0, waiting, ahead, gap }
end
local arrival = redis.call('ZSCORE', waiters, waiter)
if not arrival then
  arrival = string.format('%.0f', next_number())
  redis.call('ZADD', waiters, arrival, waiter)
end
step_in(waiter, arrival, mark)

if not held then
  local first = first_present()
  if first == waiter then return take() end
  if first then wake(first) end
end
keep_waiters()
local waiting, ahead, gap = view()
return { 0, waiting, ahead, gap }
