-- Gives leases back that are still held by their mark.
--
-- Run by: infra::locks::Lease::release
--
-- KEYS[1..n]  lease   string  the holder's mark
-- ARGV[1]  mark
--
-- Returns  how many were given back
--
-- Why a script: compare and delete must be one step, or a late release would take
-- away the lease of whoever came next.
-- Cost: O(n) in the keys named.

local n_released = 0
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[1] then
    n_released = n_released + redis.call('DEL', KEYS[i])
  end
end
return n_released
