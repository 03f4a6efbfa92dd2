-- Releases leases that still hold the token of the attempt that took them.
--
-- Run by: infra::locks::Lease::release
--
-- KEYS[1..n]  lease   string  the holder's mark: "<owner>/<token>"
-- ARGV[1]  token
--
-- Returns  how many were released
--
-- Why a script: compare and delete must be atomic, or a late release would delete the lease
-- of the next holder.
-- Cost: O(n) in the keys named.

local suffix, n_released = '/' .. ARGV[1], 0
for i = 1, #KEYS do
  local held = redis.call('GET', KEYS[i])
  if held and string.sub(held, -#suffix) == suffix then
    n_released = n_released + redis.call('DEL', KEYS[i])
  end
end
return n_released
