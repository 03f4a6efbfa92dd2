-- Leases the first of several groups of seats that has no lease yet.
--
-- Run by: reservation::leased_seats::lease_first
--
-- KEYS[1]     leased   sorted set  seats by the end of their lease, in milliseconds
-- KEYS[2]     pause    string      of the account; while it exists, no seat is leased
-- KEYS[3..n]  lease    string      the holder's mark; the seats of each group in turn
-- ARGV[1]  mark       of the leases
-- ARGV[2]  lease_ms   expiry of the leases
-- ARGV[3]  pause_ms   expiry of the pause
-- ARGV[4]  kept_ms    for how long ended leases are remembered
-- ARGV[5..]           for each group its number of seats, then the seats
--
-- Returns  the position of the group, from 1; 0 if no group was leased
--
-- Why a script: of two accounts that are offered the same seats only one gets the lease, and an
-- account has one lease at a time.
-- Cost: O(n log m) in the keys named and the leases remembered; callers bound n.

if redis.call('EXISTS', KEYS[2]) == 1 then
  return 0
end

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local mark, lease_ms = ARGV[1], tonumber(ARGV[2])
local group, key, arg = 0, 3, 5
while arg <= #ARGV do
  group = group + 1
  local n, is_free = tonumber(ARGV[arg]), true
  for i = 0, n - 1 do
    is_free = is_free and redis.call('EXISTS', KEYS[key + i]) == 0
  end
  if is_free then
    redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - ARGV[4])
    for i = 0, n - 1 do
      redis.call('SET', KEYS[key + i], mark, 'PX', lease_ms)
      redis.call('ZADD', KEYS[1], now_ms + lease_ms, ARGV[arg + 1 + i])
    end
    redis.call('PEXPIRE', KEYS[1], lease_ms + ARGV[4])
    return group
  end
  key = key + n
  arg = arg + n + 1
end
return 0
