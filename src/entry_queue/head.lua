-- Who stands at the head of the line, and who of them is there.
--
-- Run by: entry_queue::line::Line::head
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  seen     zset  account -> last poll (ms since the epoch)
-- KEYS[3]  epoch    hash  run: the server that holds the line; since: complete since then (ms)
-- ARGV[1]  head_max       find so many who are there, 1,000 at most
-- ARGV[2]  grace_ms       whoever polled within it is there
-- ARGV[3]  deepest        look no deeper: nobody's polls are noted further back
--
-- Returns  { -1 }                                  the line is not complete
--          { may_park, present, absent }           accounts in order; may_park: the line is
--                                                  complete for longer than the grace
--
-- Why a script: presence is judged by Redis' clock, which also noted the polls. Right
-- after a rebuild nobody has polled yet, so nobody may be called absent for good.
-- Cost: O(log n + head_max); where many are away, O(log n + deepest).

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[3], 'run') ~= run then return { -1 } end

local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
local grace_ms = tonumber(ARGV[2])
local since_ms = tonumber(redis.call('HGET', KEYS[3], 'since'))
local may_park = 0
if since_ms + grace_ms < now_ms then may_park = 1 end

local head_max, deepest = tonumber(ARGV[1]), tonumber(ARGV[3])
local present, absent = {}, {}
local from = 0
while from < deepest and #present < head_max do
  local some = redis.call('ZRANGE', KEYS[1], from, from + head_max - 1)
  if #some == 0 then break end
  local seen = redis.call('ZMSCORE', KEYS[2], unpack(some))
  for i, account in ipairs(some) do
    if seen[i] and now_ms - grace_ms <= tonumber(seen[i]) then
      present[#present + 1] = account
    else
      absent[#absent + 1] = account
    end
  end
  from = from + head_max
end
return { may_park, present, absent }
