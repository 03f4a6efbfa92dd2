-- Begins to fill a line again from nothing.
--
-- Run by: entry_queue::line::Line::begin
--
-- KEYS[1]  waiting  zset    account -> queue number
-- KEYS[2]  active   zset    account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset    account -> `heard` at the last poll; negative: at entering the window
-- KEYS[4]  epoch    hash    run: the server that holds the line; since: complete since then (ms)
-- KEYS[5]  nonce    string  who is rebuilding the line, beginning with the server's run id
-- KEYS[6]  hearing  hash    as hearing.lua says
-- ARGV[1]  rebuild_id       names the rebuild
-- ARGV[2]  lease_ms         how long the nonce stands without a batch
--
-- Returns  { 0, false }     the line is complete
--          { 1, nonce }     ours
--          { 2, false }     somebody else is at it
--
-- Why a script: emptying the line and taking the nonce must be one step, or a batch of
-- the rebuild before could be written in between. A nonce that came back from an old file
-- carries an old run id and counts for nothing.
-- Cost: O(1); what is emptied is freed beside the commands.

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[4], 'run') == run then return { 0, false } end
local nonce = redis.call('GET', KEYS[5])
if nonce and string.sub(nonce, 1, #run) == run then return { 2, false } end

redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6])
nonce = run .. ':' .. ARGV[1]
redis.call('SET', KEYS[5], nonce, 'PX', ARGV[2])
return { 1, nonce }
