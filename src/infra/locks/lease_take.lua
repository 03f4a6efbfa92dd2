-- Takes several leases, all or none.
--
-- Run by: infra::locks::Lease::take
--
-- KEYS[1..n]  lease   string  the holder's mark: "<owner>/<token>"
-- KEYS[n+1]   fence   string  the last fencing number of this scope
-- ARGV[1]  mark       of this attempt
-- ARGV[2]  owner      the part of a mark that attempts of the same request share
-- ARGV[3]  lease_ms   expiry of the leases
-- ARGV[4]  fence_ms   how long the last fencing number is remembered
--
-- Returns  { taken 0|1, fence, { positions held by others }, { positions held by the owner } }
--
-- Why a script: reading all keys and taking all of them must be atomic, or two attempts would
-- each take half of what both want.
-- Cost: O(n) in the keys named; callers bound n.

local n = #KEYS - 1
local mark, owner = ARGV[1], ARGV[2] .. '/'
local others, own = {}, {}

for i = 1, n do
  local held = redis.call('GET', KEYS[i])
  -- This attempt's own mark means that its command was sent twice.
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

-- The number rises each time, even when Redis forgot the last one, or its clock was set back
-- while the last one is remembered.
local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local fence = math.max(tonumber(redis.call('GET', KEYS[n + 1]) or 0) + 1, now_us)
redis.call('SET', KEYS[n + 1], string.format('%.0f', fence), 'PX', ARGV[4])
return { 1, fence, others, own }
