-- Declares a line complete after its last batch.
--
-- Run by: entry_queue::line::Line::finish
--
-- KEYS[1]  epoch  hash    run: the server that holds the line; since: complete since then (ms)
-- KEYS[2]  nonce  string  who is rebuilding the line, beginning with the server's run id
-- ARGV[1]  nonce          of the rebuild that ends
--
-- Returns  1 complete, 0 the rebuild was overtaken by another or by a lost memory
--
-- Why a script: only whoever filled this very memory from its beginning may say that
-- nothing is missing.
-- Cost: O(1).

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('GET', KEYS[2]) ~= ARGV[1] or string.sub(ARGV[1], 1, #run) ~= run then return 0 end

local now = redis.call('TIME')
local since_ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('HSET', KEYS[1], 'run', run, 'since', string.format('%.0f', since_ms))
redis.call('DEL', KEYS[2])
return 1
