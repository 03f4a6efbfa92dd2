-- Returns the position of one account and records its poll.
--
-- Run by: entry_queue::redis_queue::RedisQueue::poll, behind hearing.lua
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  active   zset  account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset  account -> `heard` at the last poll; negative: at entering the window
-- KEYS[4]  epoch    hash  run: the server that holds the queue; since: complete since then (ms);
--                         counted_to: every account with a number up to it was written
-- KEYS[5]  hearing  hash  as hearing.lua describes it
-- ARGV[1]  account        16 bytes
-- ARGV[2]  window         polls are recorded for this many tokens at the head
-- ARGV[3]  grace_ms       how long an account may be silent
-- ARGV[4]  run_id         of this server, read over the connection of this call; may be empty
--
-- Returns  { -1 }                                  the queue is not complete
--          { 0, n_waiting }                        neither waiting nor admitted
--          { 1, n_waiting, number, n_ahead or -1 } waiting; -1: smaller numbers are not written
--          { 2, n_waiting }                        admitted
--
-- Why a script: rank and number must be read from the same state, and the poll is recorded
-- only near the head. How many are ahead is known only up to `counted_to`: beyond it an
-- account with a smaller number may still be written. A server that was restarted from an old file has an old run id in
-- `epoch`, so that a position in an old queue is never returned.
-- Cost: O(log n).

-- Shortest time between two writes of polls from behind the window.
local BEHIND_MS = 1000

-- INFO would take most of the time of a poll.
local run = ARGV[4]
if run == '' then run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') end
local epoch = redis.call('HMGET', KEYS[4], 'run', 'counted_to')
if epoch[1] ~= run then return { -1 } end

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
    -- Returning accounts may push this one out of the window; entering again is noted again.
    redis.call('ZREM', KEYS[3], ARGV[1])
    if clock.behind_ms < 0 or clock.heard_ms - clock.behind_ms >= BEHIND_MS then
      redis.call('HSET', KEYS[5], 'behind', heard)
    end
  end
  number = tonumber(number)
  return { 1, n_waiting, number, number <= tonumber(epoch[2] or 0) and n_ahead or -1 }
end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return { 2, n_waiting } end
return { 0, n_waiting }
