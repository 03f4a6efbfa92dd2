-- Adds or returns a waiter to the waiters, and takes the lock if this waiter is next.
--
-- Run by: infra::locks::attempt::LockAttempt, behind fair_waiters.lua
--
-- KEYS[1..7], ARGV[1..9]  as fair_waiters.lua describes them
-- KEYS[8]   lease     string  the holder's mark, "<owner>/<token>"; the key may be missing
-- ARGV[10]  owner     of the lease: the part of a mark that attempts of the same request share
-- ARGV[11]  token     of the lease: the part that belongs to this attempt
-- ARGV[12]  held_ms   expiry of the lease
--
-- Returns  what fair_waiters.lua describes, or { -1, is_own 0|1, 0, 0 }: the lease is held, by
--          an attempt of the same owner or by another one, and nothing was changed
--
-- Why a script: whether the lock is free and which waiter is first must be read atomically,
-- or a newcomer would pass an earlier waiter. The lease goes with the place in the line, so that
-- an attempt without it disturbs no other attempt of its waiter.
-- Cost: O(log n).

if KEYS[8] then
  local own = ARGV[10] .. '/' .. ARGV[11]
  local leased = redis.call('GET', KEYS[8])
  if leased and leased ~= own then
    local is_own = string.sub(leased, 1, #ARGV[10] + 1) == ARGV[10] .. '/'
    return { -1, is_own and 1 or 0, 0, 0 }
  end
  redis.call('SET', KEYS[8], own, 'PX', ARGV[12])
end

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
