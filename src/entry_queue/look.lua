-- Where one account stands, and that it is still there.
--
-- Run by: entry_queue::line::Line::look
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  active   zset  account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset  account -> last poll (ms since the epoch)
-- KEYS[4]  epoch    hash  run: the server that holds the line; since: complete since then (ms)
-- ARGV[1]  account        16 bytes
-- ARGV[2]  seen_max       polls are noted for so many at the head
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

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[4], 'run') ~= run then return { -1 } end

local n_waiting = redis.call('ZCARD', KEYS[1])
local number = redis.call('ZSCORE', KEYS[1], ARGV[1])
if number then
  local n_ahead = redis.call('ZRANK', KEYS[1], ARGV[1])
  if n_ahead < tonumber(ARGV[2]) then
    local now = redis.call('TIME')
    redis.call('ZADD', KEYS[3], now[1] * 1000 + math.floor(now[2] / 1000), ARGV[1])
  end
  return { 1, n_waiting, tonumber(number), n_ahead }
end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return { 2, n_waiting } end
return { 0, n_waiting }
