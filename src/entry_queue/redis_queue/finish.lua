-- Declares a queue complete after the last batch of its rebuild.
--
-- Run by: entry_queue::redis_queue::RedisQueue::finish
--
-- KEYS[1]  epoch  hash    as poll.lua describes it
-- KEYS[2]  nonce  string  names the rebuild that is running, beginning with the server's run id
-- ARGV[1]  nonce          of the rebuild that ends
-- ARGV[2]  counted_to     its batches had every waiting number up to this one
--
-- Returns  1 complete; 0 the rebuild was overtaken by another one or by a loss of memory
--
-- Why a script: only the rebuild that filled this memory from its beginning may declare
-- that nothing is missing, so the check and the write must be atomic.
-- Cost: O(1).

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('GET', KEYS[2]) ~= ARGV[1] or string.sub(ARGV[1], 1, #run) ~= run then return 0 end

local now = redis.call('TIME')
local since_ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('HSET', KEYS[1], 'run', run, 'since', string.format('%.0f', since_ms),
  'counted_to', ARGV[2])
redis.call('DEL', KEYS[2])
return 1
