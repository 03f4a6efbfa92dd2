-- Counts the waiting and the admitted accounts of a queue.
--
-- Run by: entry_queue::redis_queue::RedisQueue::count
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  active   zset  account -> end of the stay (ms since the epoch)
-- KEYS[3]  epoch    hash  as poll.lua describes it
--
-- Returns  { -1 }                 the queue is not complete
--          { n_waiting, n_inside }
--
-- Why a script: a server that was restarted from an old file has an old run id in `epoch`,
-- and its old counts must not be returned.
-- Cost: O(1).

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[3], 'run') ~= run then return { -1 } end
return { redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2]) }
