-- Who stands at the head of the line, and who of them is there.
--
-- Run by: entry_queue::line::Line::head
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  seen     zset  account -> last poll (ms since the epoch)
-- KEYS[3]  epoch    hash  run: the server that holds the line; since: complete since then (ms)
-- ARGV[1]  head_max       look at so many
-- ARGV[2]  grace_ms       whoever polled within it is there
--
-- Returns  { -1 }                                  the line is not complete
--          { may_park, present, absent }           accounts in order; may_park: the line is
--                                                  complete for longer than the grace
--
-- Why a script: presence is judged by Redis' clock, which also noted the polls. Right
-- after a rebuild nobody has polled yet, so nobody may be called absent for good.
-- Cost: O(log n + head_max).

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[3], 'run') ~= run then return { -1 } end

local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
local grace_ms = tonumber(ARGV[2])
local since_ms = tonumber(redis.call('HGET', KEYS[3], 'since'))
local may_park = 0
if since_ms + grace_ms < now_ms then may_park = 1 end

local present, absent = {}, {}
local head = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1)
if #head > 0 then
  local seen = redis.call('ZMSCORE', KEYS[2], unpack(head))
  for i, account in ipairs(head) do
    if seen[i] and now_ms - grace_ms <= tonumber(seen[i]) then
      present[#present + 1] = account
    else
      absent[#absent + 1] = account
    end
  end
end
return { may_park, present, absent }
