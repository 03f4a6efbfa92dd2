-- Takes several leases, all or none.
--
-- Run by: infra::locks::Lease::take
--
-- KEYS[1..n]  lease   string  the holder's mark: "<owner>/<token>"
-- KEYS[n+1]   fence   string  the last fencing number of this scope
-- ARGV[1]  mark       what this attempt writes
-- ARGV[2]  owner      the part of a mark that an earlier attempt of the same order shares
-- ARGV[3]  lease_ms   when the leases end by themselves
-- ARGV[4]  fence_ms   how long the last fencing number is remembered
--
-- Returns  { taken 0|1, fence, { positions held by others }, { positions held by the owner } }
--
-- Why a script: looking at all keys and taking all of them must be one step, or two
-- attempts would each take half of what both want.
-- Cost: O(n) in the keys named; callers bound n.

local n = #KEYS - 1
local mark, owner = ARGV[1], ARGV[2] .. '/'
local others, own = {}, {}

for i = 1, n do
  local held = redis.call('GET', KEYS[i])
  -- A mark of this very attempt is the answer to a command that was sent twice.
  if held and held ~= mark then
    local list = string.sub(held, 1, #owner) == owner and own or others
    list[#list + 1] = i - 1
  end
end
if #others > 0 or #own > 0 then
  return { 0, 0, others, own }
end

for i = 1, n do
  redis.call('SET', KEYS[i], mark, 'PX', ARGV[3])
end

-- Rises with every taking, also when Redis forgot the last number or its clock
-- stepped back within the time it is remembered.
local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local fence = math.max(tonumber(redis.call('GET', KEYS[n + 1]) or 0) + 1, now_us)
redis.call('SET', KEYS[n + 1], string.format('%.0f', fence), 'PX', ARGV[4])
return { 1, fence, others, own }
