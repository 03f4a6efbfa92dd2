-- Writes the positions of accounts as PostgreSQL has them.
--
-- Run by: entry_queue::redis_queue::RedisQueue::write
--
-- KEYS[1]  waiting  zset    account -> queue number
-- KEYS[2]  active   zset    account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset    account -> `heard` at the last poll; negative: at entering the window
-- KEYS[4]  epoch    hash    as poll.lua describes it
-- KEYS[5]  nonce    string  names the rebuild that is running, beginning with the server's run id
-- ARGV[1]  nonce            of the rebuild this batch belongs to; empty outside of one
-- ARGV[2]  lease_ms         the nonce lapses after this time without another batch
-- ARGV[3]  is_repair        1: missing numbers up to `counted_to` are written too
-- ARGV[4]  covers_after     every waiting number above this
-- ARGV[5]  covers_to        and up to this is in this batch; 0 where nothing is known
-- ARGV[6]  n_waiting        then as many pairs: queue number, account
-- ARGV[..] n_inside         then as many pairs: end of the stay, account
-- ARGV[..] the rest         accounts that are neither waiting nor admitted
--
-- Returns  { 1, counted_to, refused }  written, the queue is complete; refused: accounts that
--                                      were not written as waiting
--          { 0, 0, {} }                written, the queue is not complete
--          { -1, 0, {} }               nothing written: the rebuild was overtaken by another
--                                      one or by a loss of memory
--
-- Why a script: a batch of a rebuild may only be written into the memory that the rebuild
-- began with, and no account may be visible in both `waiting` and `active`. A number up to
-- `counted_to` that is not there any more was removed by a later change than the one that
-- this batch was read from, or is missing: the caller has to read again to know which.
-- Cost: O(log n) per account.

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if ARGV[1] ~= '' then
  local is_ours = redis.call('GET', KEYS[5]) == ARGV[1]
  if not is_ours or string.sub(ARGV[1], 1, #run) ~= run then return { -1, 0, {} } end
  redis.call('PEXPIRE', KEYS[5], ARGV[2])
end

local epoch = redis.call('HMGET', KEYS[4], 'run', 'counted_to')
local is_complete = epoch[1] == run
local counted_to = is_complete and tonumber(epoch[2] or 0) or 0
local is_repair = ARGV[3] == '1'
local refused = {}

-- Whether a waiting position may be written: its number is new, stands there already, or is
-- missing and repaired.
local function is_current(number, account)
  if is_repair or tonumber(number) > counted_to then return true end
  return tonumber(redis.call('ZSCORE', KEYS[1], account) or 0) == tonumber(number)
end

-- Returns the pairs from `at` on that may be written, their accounts, and the index after them.
local function pairs_from(at, may_write)
  local scored, accounts = {}, {}
  for i = at + 1, at + 2 * ARGV[at], 2 do
    if may_write(ARGV[i], ARGV[i + 1]) then
      scored[#scored + 1] = ARGV[i]
      scored[#scored + 1] = ARGV[i + 1]
      accounts[#accounts + 1] = ARGV[i + 1]
    else
      refused[#refused + 1] = ARGV[i + 1]
    end
  end
  return scored, accounts, at + 2 * ARGV[at] + 1
end

local waiting, waiting_accounts, at = pairs_from(6, is_current)
local inside, inside_accounts, rest = pairs_from(at, function() return true end)
if #waiting > 0 then
  redis.call('ZADD', KEYS[1], unpack(waiting))
  redis.call('ZREM', KEYS[2], unpack(waiting_accounts))
end
if #inside > 0 then
  redis.call('ZADD', KEYS[2], unpack(inside))
  redis.call('ZREM', KEYS[1], unpack(inside_accounts))
  redis.call('ZREM', KEYS[3], unpack(inside_accounts))
end
if rest <= #ARGV then
  for key = 1, 3 do redis.call('ZREM', KEYS[key], unpack(ARGV, rest)) end
end

if not is_complete then return { 0, 0, {} } end
local covers_after, covers_to = tonumber(ARGV[4]), tonumber(ARGV[5])
if covers_after <= counted_to and covers_to > counted_to then
  counted_to = covers_to
  redis.call('HSET', KEYS[4], 'counted_to', ARGV[5])
end
return { 1, counted_to, refused }
