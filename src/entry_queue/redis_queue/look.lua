-- Where one account stands, and that it is still there.
--
-- Run by: entry_queue::line::Line::look, behind hearing.lua
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  active   zset  account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset  account -> `heard` at the last poll; negative: at entering the window
-- KEYS[4]  epoch    hash  run: the server that holds the line; since: complete since then (ms)
-- KEYS[5]  hearing  hash  as hearing.lua says
-- ARGV[1]  account        16 bytes
-- ARGV[2]  window         polls are noted for so many at the head
-- ARGV[3]  grace_ms       how long somebody may be silent
--
-- Returns  { -1 }                                  the line is not complete
--          { 0, n_waiting }                        nowhere
--          { 1, n_waiting, number, n_ahead }       waiting
--          { 2, n_waiting }                        inside
--
-- Why a script: the rank must be of the same line as the number, and the poll is noted
-- only for whoever is near the head. A server that was restarted from an old file
-- carries an old run id in `epoch`, so nobody is ever told a place of an old line.
-- Cost: O(log n).

-- A poll from behind the window is written no more often.
local BEHIND_MS = 1000

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[4], 'run') ~= run then return { -1 } end

local n_waiting = redis.call('ZCARD', KEYS[1])
local number = redis.call('ZSCORE', KEYS[1], ARGV[1])
if number then
  local grace_ms = tonumber(ARGV[3])
  local clock = listen(KEYS[5], grace_ms)
  local heard = milliseconds(clock.heard_ms)
  if clock.is_first or clock.is_set_back or clock.gap_ms >= NOTED_MS then
    redis.call('HSET', KEYS[5], 'heard', heard, 'last', milliseconds(clock.now_ms))
  end
  if clock.is_first or clock.gap_ms > grace_ms then
    redis.call('HSET', KEYS[5], 'resumed', heard)
  end
  local n_ahead = redis.call('ZRANK', KEYS[1], ARGV[1])
  if n_ahead < tonumber(ARGV[2]) then
    redis.call('ZADD', KEYS[3], heard, ARGV[1])
  else
    -- Pushed out of the window by those who came back: entering it again counts again.
    redis.call('ZREM', KEYS[3], ARGV[1])
    if clock.behind_ms < 0 or clock.heard_ms - clock.behind_ms >= BEHIND_MS then
      redis.call('HSET', KEYS[5], 'behind', heard)
    end
  end
  return { 1, n_waiting, tonumber(number), n_ahead }
end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return { 2, n_waiting } end
return { 0, n_waiting }
