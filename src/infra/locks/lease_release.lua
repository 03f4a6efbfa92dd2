-- Releases leases that still hold their mark.
--
-- Run by: infra::locks::Lease::release
--
-- KEYS[1..n]  lease   string  the holder's mark
-- ARGV[1]  mark
--
-- Returns  how many were released
--
-- Why a script: compare and delete must be atomic, or a late release would delete the lease
-- of the next holder.
-- Cost: O(n) in the keys named.

local n_released = 0
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[1] then
    n_released = n_released + redis.call('DEL', KEYS[i])
  end
end
return n_released
