-- Claims the waiters directly behind the holder, for the holder to carry out their requests.
--
-- Run by: infra::locks::attempt::LockAttempt::claim, behind fair_waiters.lua
--
-- KEYS[1..7], ARGV[1..9]  as fair_waiters.lua describes them; this attempt is the holder
-- ARGV[10]  instance  of the holder, which ends the marks of its waiters
-- ARGV[11]  n_max     how many are claimed at most
--
-- Returns  { { mark, number }, ... } of the claimed, in order of arrival; none if this attempt
--          does not hold the lock
--
-- Why a script: between the holder and the last of the claimed no other waiter may be present, so
-- reading the order and claiming must be atomic.
-- Cost: O(n log m) for n claimed of m waiters; the caller bounds n.

local instance, n_max = ARGV[10], tonumber(ARGV[11])
local claimed = {}
if redis.call('GET', holder) ~= mark then return claimed end

while #claimed < n_max do
  local first = first_present()
  local theirs = first and redis.call('HGET', marks, first)
  if not theirs or string.sub(theirs, -#instance) ~= instance then break end
  local number = redis.call('ZSCORE', present, first)
  redis.call('ZREM', present, first)
  redis.call('ZADD', deadline, now_ms + claim_ms, first)
  claimed[#claimed + 1] = { theirs, string.format('%.0f', number) }
end
keep_waiters()
return claimed
