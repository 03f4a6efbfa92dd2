-- Takes several leases, all or none.
--
-- Run by: infra::locks::Lease::take
--
-- KEYS[1..n]  lease   string  the holder's mark: "<owner>/<token>"
-- ARGV[1]  mark       of this attempt
-- ARGV[2]  owner      the part of a mark that attempts of the same request share
-- ARGV[3]  lease_ms   expiry of the leases
--
-- Returns  { positions held by others }, { positions held by the owner }: none if all were taken
--
-- Why a script: reading all keys and taking all of them must be atomic, or two attempts would
-- each take half of what both want.
-- Cost: O(n) in the keys named; callers bound n.

local mark, owner = ARGV[1], ARGV[2] .. '/'
local others, own = {}, {}

for i = 1, #KEYS do
  local held = redis.call('GET', KEYS[i])
  -- This attempt's own mark means that its command was sent twice.
  if held and held ~= mark then
    local list = string.sub(held, 1, #owner) == owner and own or others
    list[#list + 1] = i - 1
  end
end
if #others == 0 and #own == 0 then
  for i = 1, #KEYS do
    redis.call('SET', KEYS[i], mark, 'PX', ARGV[3])
  end
end
return { others, own }
