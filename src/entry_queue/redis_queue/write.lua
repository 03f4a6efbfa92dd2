-- Writes the positions of accounts as PostgreSQL has them.
--
-- Run by: entry_queue::redis_queue::RedisQueue::write
--
-- KEYS[1]  waiting  zset    account -> queue number
-- KEYS[2]  active   zset    account -> end of the stay (ms since the epoch)
-- KEYS[3]  seen     zset    account -> `heard` at the last poll; negative: at entering the window
-- KEYS[4]  epoch    hash    run: the server that holds the queue; since: complete since then (ms)
-- KEYS[5]  nonce    string  names the rebuild that is running, beginning with the server's run id
-- ARGV[1]  nonce            of the rebuild this batch belongs to; empty outside of one
-- ARGV[2]  lease_ms         the nonce lapses after this time without another batch
-- ARGV[3]  n_waiting        then as many pairs: queue number, account
-- ARGV[..] n_inside         then as many pairs: end of the stay, account
-- ARGV[..] the rest         accounts that are neither waiting nor admitted
--
-- Returns  1 written, the queue is complete
--          0 written, the queue is not complete
--         -1 nothing written: the rebuild was overtaken by another one or by a loss of memory
--
-- Why a script: a batch of a rebuild may only be written into the memory that the rebuild
-- began with, and no account may be visible in both `waiting` and `active`.
-- Cost: O(log n) per account.

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if ARGV[1] ~= '' then
  local is_ours = redis.call('GET', KEYS[5]) == ARGV[1]
  if not is_ours or string.sub(ARGV[1], 1, #run) ~= run then return -1 end
  redis.call('PEXPIRE', KEYS[5], ARGV[2])
end

-- Returns the pairs from `at` on, their accounts, and the index after them.
local function pairs_from(at)
  local scored, accounts = {}, {}
  for i = at + 1, at + 2 * ARGV[at], 2 do
    scored[#scored + 1] = ARGV[i]
    scored[#scored + 1] = ARGV[i + 1]
    accounts[#accounts + 1] = ARGV[i + 1]
  end
  return scored, accounts, at + 2 * ARGV[at] + 1
end

local waiting, waiting_accounts, at = pairs_from(3)
local inside, inside_accounts, rest = pairs_from(at)
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

if redis.call('HGET', KEYS[4], 'run') == run then return 1 end
return 0
