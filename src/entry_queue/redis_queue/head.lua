-- Returns the accounts at the head of the queue with their latest notes.
--
-- Run by: entry_queue::redis_queue::RedisQueue::head, behind hearing.lua
--
-- KEYS[1]  waiting  zset  account -> queue number
-- KEYS[2]  seen     zset  account -> `heard` at the last poll; negative: at entering the window
-- KEYS[3]  epoch    hash  as poll.lua describes it
-- KEYS[4]  hearing  hash  as hearing.lua describes it
-- ARGV[1]  head_max       stop after this many accounts that polled lately; at most 1,000
-- ARGV[2]  grace_ms       an account that polled within it polled lately
-- ARGV[3]  window         read no deeper: polls are not recorded further back
--
-- Returns  { -1 }         the queue is not complete
--          { heard_ms, gap_ms, resumed_ms, behind_ms or -1, is_whole, accounts, notes }
--                         accounts in number order and the note of each; is_whole: the
--                         window, or the queue, was read to its end
--
-- Why a script: an account that enters the window is noted as entering in the same step that
-- reads the notes, so that an account whose polls were not recorded yet is never taken for
-- silent.
-- Cost: O(log n + head_max), and one write for each account that entered; where many accounts
-- are away, O(log n + window).

local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if redis.call('HGET', KEYS[3], 'run') ~= run then return { -1 } end

local waiting, seen, hearing = KEYS[1], KEYS[2], KEYS[4]
local head_max, grace_ms, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local clock = listen(hearing, grace_ms)
local entering = milliseconds(-clock.heard_ms)

-- Notes that these accounts entered the window, unless they have a note already.
local function enter(accounts)
  local entered = {}
  for _, account in ipairs(accounts) do
    entered[#entered + 1] = entering
    entered[#entered + 1] = account
  end
  if #entered > 0 then redis.call('ZADD', seen, 'NX', unpack(entered)) end
end

local edge = redis.call('ZRANGE', waiting, window - 1, window - 1, 'WITHSCORES')
if #edge == 0 then edge = redis.call('ZRANGE', waiting, -1, -1, 'WITHSCORES') end
local edge_number = tonumber(edge[2] or 0)
local entered_to = tonumber(redis.call('HGET', hearing, 'entered_to') or 0)
local after = entered_to
while after < edge_number do
  local some = redis.call('ZRANGEBYSCORE', waiting, '(' .. milliseconds(after), edge_number,
    'WITHSCORES', 'LIMIT', 0, head_max)
  if #some == 0 then break end
  local accounts = {}
  for i = 1, #some, 2 do accounts[#accounts + 1] = some[i] end
  enter(accounts)
  after = tonumber(some[#some])
end
if entered_to ~= edge_number then
  redis.call('HSET', hearing, 'entered_to', milliseconds(edge_number))
end

local accounts, notes = {}, {}
local from, n_lately, is_whole = 0, 0, 0
while n_lately < head_max do
  local some = redis.call('ZRANGE', waiting, from, math.min(from + head_max, window) - 1)
  if #some > 0 then
    local noted = redis.call('ZMSCORE', seen, unpack(some))
    local missed = {}
    for i, account in ipairs(some) do
      local note = tonumber(noted[i] or entering)
      if not noted[i] then missed[#missed + 1] = account end
      if note > 0 and clock.heard_ms - note <= grace_ms then n_lately = n_lately + 1 end
      accounts[#accounts + 1] = account
      notes[#notes + 1] = note
    end
    enter(missed)
  end
  from = from + #some
  if #some < head_max or from >= window then
    is_whole = 1
    break
  end
end
return { clock.heard_ms, clock.is_first and -1 or clock.gap_ms, clock.resumed_ms, clock.behind_ms, is_whole, accounts, notes }
