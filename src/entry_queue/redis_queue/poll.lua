-- Returns the positions of accounts that polled together and records their polls.
--
-- Run by: entry_queue::redis_queue::Polls, behind hearing.lua
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  active   zset  account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset  account -> `heard` at the last poll; negative: at entering the window
-- KEYS[4]  epoch    hash  run: the server that holds the queue; since: complete since then (ms);
--                         counted_to: every account with a number up to it was written
-- KEYS[5]  hearing  hash  as hearing.lua describes it
-- KEYS[6]  called   zset  accounts that an access gate has called up, as call_up.lua describes it
-- ARGV[1]  window         polls are recorded for this many tokens at the head, and for `called`
-- ARGV[2]  grace_ms       how long an account may be silent
-- ARGV[..] accounts       16 bytes each
-- ARGV[#]  run_id         of this server, read over the connection of this call; may be empty
--
-- Returns  { -1 }         the queue is not complete
--          { n_waiting }  and three numbers for each account, in their order:
--                         0, 0, 0                    neither waiting nor admitted
--                         1, number, n_ahead or -1   waiting; -1: smaller numbers are not written
--                         2, 0, 0                    admitted
--
-- Why a script: rank and number must be read from the same state, and the poll is recorded
-- only near the head. How many are ahead is known only up to `counted_to`: beyond it an
-- account with a smaller number may still be written. A server that was restarted from an old
-- file has an old run id in `epoch`, so that a position in an old queue is never returned.
-- Cost: O(log n) per account.

-- Shortest time between two writes of polls from behind the window.
local BEHIND_MS = 1000

-- INFO would take most of the time of a poll.
local run = ARGV[#ARGV]
if run == '' then run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') end
local epoch = redis.call('HMGET', KEYS[4], 'run', 'counted_to')
if epoch[1] ~= run then return { -1 } end

local window, grace_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local counted_to = tonumber(epoch[2] or 0)
local answer = { redis.call('ZCARD', KEYS[1]) }
local near, is_anybody_behind, clock, heard = {}, false, nil, nil
for i = 3, #ARGV - 1 do
  local account, kind, n_ahead = ARGV[i], 1, 0
  local number = redis.call('ZSCORE', KEYS[1], account)
  if number then
    number = tonumber(number)
    if not clock then
      clock = listen(KEYS[5], grace_ms)
      heard = milliseconds(clock.heard_ms)
    end
    n_ahead = redis.call('ZRANK', KEYS[1], account)
    if n_ahead < window or redis.call('ZSCORE', KEYS[6], account) then
      near[#near + 1] = heard
      near[#near + 1] = account
    else
      -- Returning accounts may push this one out of the window; entering again is noted again.
      redis.call('ZREM', KEYS[3], account)
    end
    if n_ahead >= window then is_anybody_behind = true end
    if number > counted_to then n_ahead = -1 end
  else
    number, kind = 0, redis.call('ZSCORE', KEYS[2], account) and 2 or 0
  end
  answer[#answer + 1] = kind
  answer[#answer + 1] = number
  answer[#answer + 1] = n_ahead
end

if clock then
  if clock.is_first or clock.is_set_back or clock.gap_ms >= NOTED_MS then
    redis.call('HSET', KEYS[5], 'heard', heard, 'last', milliseconds(clock.now_ms))
  end
  if clock.is_first or clock.gap_ms > grace_ms then
    redis.call('HSET', KEYS[5], 'resumed', heard)
  end
  if #near > 0 then redis.call('ZADD', KEYS[3], unpack(near)) end
  local is_behind_old = clock.behind_ms < 0 or clock.heard_ms - clock.behind_ms >= BEHIND_MS
  if is_anybody_behind and is_behind_old then
    redis.call('HSET', KEYS[5], 'behind', heard)
  end
end
return answer
