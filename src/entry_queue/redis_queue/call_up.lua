-- Returns the latest notes of accounts that an access gate is about to admit.
--
-- Run by: entry_queue::redis_queue::RedisQueue::call_up, behind hearing.lua
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  seen     zset  account -> `heard` at the last poll; negative: at entering the window
-- KEYS[3]  epoch    hash  as poll.lua describes it
-- KEYS[4]  hearing  hash  as hearing.lua describes it
-- KEYS[5]  called   zset  account -> when it was last called up (ms since the epoch)
-- ARGV[1]  grace_ms       how long an account may be silent
-- ARGV[..] accounts       16 bytes each; at most 1,000
--
-- Returns  { -1 }         the queue is not complete
--          { heard_ms, gap_ms or -1, resumed_ms }  and the note of each account, in their order;
--                         0: it does not wait here
--
-- Why a script: an account without a note is noted as entering in the same step, and `called` makes
-- poll.lua note its polls from then on, so that an account whose polls were not recorded is never
-- taken for silent.
-- Cost: O(log n) per account.

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[3], 'run') ~= run then return { -1 } end

local waiting, seen, called = KEYS[1], KEYS[2], KEYS[5]
local grace_ms = tonumber(ARGV[1])
local clock = listen(KEYS[4], grace_ms)
local entering = milliseconds(-clock.heard_ms)
local now = milliseconds(clock.now_ms)

local answer = { clock.heard_ms, clock.is_first and -1 or clock.gap_ms, clock.resumed_ms }
for i = 2, #ARGV do
  local account, note = ARGV[i], 0
  if redis.call('ZSCORE', waiting, account) then
    redis.call('ZADD', called, now, account)
    redis.call('ZADD', seen, 'NX', entering, account)
    note = tonumber(redis.call('ZSCORE', seen, account))
  end
  answer[#answer + 1] = note
end
-- Gates call up again every second, and all of this is of use for a grace only.
redis.call('ZREMRANGEBYSCORE', called, '-inf', milliseconds(clock.now_ms - 2 * grace_ms))
redis.call('PEXPIRE', called, 4 * grace_ms)
return answer
