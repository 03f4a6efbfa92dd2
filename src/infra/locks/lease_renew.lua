-- Renews leases that still hold their mark.
--
-- Run by: infra::locks::Lease (its watchdog)
--
-- KEYS[1..n]  lease   string  the holder's mark
-- ARGV[1]  mark
-- ARGV[2]  lease_ms   counted from now
--
-- Returns  how many are still held
--
-- Why a script: a lease that expired and was taken by another holder must not be renewed,
-- so compare and renew must be atomic.
-- Cost: O(n) in the keys named.

local n_held = 0
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[1] then
    redis.call('PEXPIRE', KEYS[i], ARGV[2])
    n_held = n_held + 1
  end
end
return n_held
