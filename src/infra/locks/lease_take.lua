-- Takes the leases of one or several requests: for each request, all or none.
--
-- Run by: infra::locks::Lease::take_each
--
-- KEYS[1..n]  lease   string  the holder's mark: "<owner>/<token>"; the keys of the requests one
--                             after the other
-- ARGV[1]  token      of this attempt
-- ARGV[2]  lease_ms   expiry of the leases
-- ARGV[3..]           for each request its owner, the part of a mark that attempts of the same
--                     request share; the owner whose leases it takes over, empty for none; and
--                     the number of its keys
--
-- Returns  for each request { positions held by others }, { positions held by its owner }: none
--          if all were taken. A lease that this attempt has taken counts as free.
--
-- Why a script: reading all keys and taking all of them must be atomic, or two attempts would
-- each take half of what both want.
-- Cost: O(n) in the keys named; callers bound n.

local suffix, lease_ms = '/' .. ARGV[1], ARGV[2]
local results, first = {}, 1

for request = 3, #ARGV, 3 do
  local owner, last = ARGV[request] .. '/', first + tonumber(ARGV[request + 2]) - 1
  local takes_over = ARGV[request + 1] .. '/'
  local others, own, free = {}, {}, {}
  for i = first, last do
    local held = redis.call('GET', KEYS[i])
    if not held or string.sub(held, 1, #takes_over) == takes_over then
      free[#free + 1] = KEYS[i]
    -- This attempt's own token means that another of its requests has the lease, or that its
    -- command was sent twice.
    elseif string.sub(held, -#suffix) ~= suffix then
      local list = string.sub(held, 1, #owner) == owner and own or others
      list[#list + 1] = i - first
    end
  end
  if #others == 0 and #own == 0 then
    for _, key in ipairs(free) do
      redis.call('SET', key, owner .. ARGV[1], 'PX', lease_ms)
    end
  end
  results[#results + 1] = { others, own }
  first = last + 1
end
return results
