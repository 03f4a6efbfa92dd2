-- Begins the rebuild of a queue from nothing.
--
-- Run by: entry_queue::redis_queue::RedisQueue::begin
--
-- KEYS[1]  waiting  zset    account -> queue number
-- KEYS[2]  active   zset    account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset    account -> `heard` at the last poll; negative: at entering the window
-- KEYS[4]  epoch    hash    as poll.lua describes it
-- KEYS[5]  nonce    string  names the rebuild that is running, beginning with the server's run id
-- KEYS[6]  hearing  hash    as hearing.lua describes it
-- ARGV[1]  rebuild_id       names the rebuild
-- ARGV[2]  lease_ms         the nonce lapses after this time without a batch
--
-- Returns  { 0, false }     the queue is complete
--          { 1, nonce }     begun; the nonce of the new rebuild
--          { 2, false }     another rebuild is running
--
-- Why a script: emptying the queue and taking the nonce must be atomic, or a batch of an
-- earlier rebuild could be written in between. A nonce restored from an old file carries an
-- old run id and is ignored.
-- Cost: O(1); UNLINK frees the memory in the background.

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[4], 'run') == run then return { 0, false } end
local nonce = redis.call('GET', KEYS[5])
if nonce and string.sub(nonce, 1, #run) == run then return { 2, false } end

redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6])
nonce = run .. ':' .. ARGV[1]
redis.call('SET', KEYS[5], nonce, 'PX', ARGV[2])
return { 1, nonce }
