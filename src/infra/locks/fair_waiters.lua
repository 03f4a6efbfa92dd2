-- Beginning of every script of a fair lock: its waiters and which of them are present.
--
-- Run by: infra::locks::attempt::LockAttempt, in front of fair_enter.lua, fair_leave.lua,
-- fair_claim.lua and fair_settle.lua
--
-- KEYS[1]  holder    string  the mark of the attempt that holds the lock
-- KEYS[2]  waiters   zset    waiter -> arrival number
-- KEYS[3]  present   zset    waiter -> arrival number: those inside a request
-- KEYS[4]  deadline  zset    waiter -> when it counts as absent, or loses its place (ms)
-- KEYS[5]  clock     string  the last number that was issued
-- KEYS[6]  pace      hash    last: time of the last release (us); gap: mean time between releases
--                            (us)
-- KEYS[7]  marks     hash    waiter -> the mark of its attempt that is inside a request:
--                            "<waiter>/<token><instance>"
-- ARGV[1]  mark         of this attempt
-- ARGV[2]  waiter       of this attempt
-- ARGV[3]  channel      on which the next waiter is woken
-- ARGV[4]  lease_ms     expiry of the lock
-- ARGV[5]  presence_ms  how long a waiter counts as present without asking again
-- ARGV[6]  absence_ms   how long an absent waiter keeps its place
-- ARGV[7]  stay_max_ms  how long any waiter keeps its place, from arrival
-- ARGV[8]  kept_ms      expiry of the waiters of an unused lock
-- ARGV[9]  claim_ms     how long a holder may carry out the request of another waiter
--
-- Returns  nothing: fair_enter.lua and fair_leave.lua, which follow, return
--          { taken 0|1, waiting, ahead, gap_us or -1 }
--
-- Why a script: it is one half of other scripts, and all must read the same state.
-- A waiter is claimed while its mark is there and it is not present: it keeps its number and
-- counts, but holds up no other.
-- A number is an arrival time in us, raised by one where two would be equal: numbers
-- rise even when Redis forgot the last one, and state the time of arrival themselves.
-- Cost: O(log n) for each command; a waiter that lapses is moved at most twice.

local LAPSED_MAX = 32
-- The holder has the answer to its claim by then, or never.
local CLAIM_ANSWERED_MS = 1000

local holder, waiters, present, deadline = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local clock, pace, marks = KEYS[5], KEYS[6], KEYS[7]
local mark, waiter, channel = ARGV[1], ARGV[2], ARGV[3]
local lease_ms, presence_ms = ARGV[4], tonumber(ARGV[5])
local absence_ms, stay_max_ms, kept_ms = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
local claim_ms = tonumber(ARGV[9])

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local function next_number()
  local number = math.max(tonumber(redis.call('GET', clock) or 0) + 1, now_us)
  redis.call('SET', clock, string.format('%.0f', number), 'PX', kept_ms)
  return number
end

local function keep_waiters()
  for _, key in ipairs({ waiters, present, deadline, marks }) do
    redis.call('PEXPIRE', key, kept_ms)
  end
end

local function forget(who)
  redis.call('ZREM', waiters, who)
  redis.call('ZREM', present, who)
  redis.call('ZREM', deadline, who)
  redis.call('HDEL', marks, who)
end

-- Marks the waiter absent from `since_ms` on: its place is kept for a while.
local function step_out(who, since_ms)
  local arrival = tonumber(redis.call('ZSCORE', waiters, who) or 0)
  local ends_ms = math.min(since_ms + absence_ms, math.floor(arrival / 1000) + stay_max_ms)
  if ends_ms <= now_ms then
    forget(who)
  else
    redis.call('ZREM', present, who)
    redis.call('HDEL', marks, who)
    redis.call('ZADD', deadline, ends_ms, who)
  end
end

local function expire_lapsed()
  local lapsed = redis.call('ZRANGEBYSCORE', deadline, '-inf', now_ms, 'WITHSCORES', 'LIMIT', 0, LAPSED_MAX)
  for i = 1, #lapsed, 2 do
    if redis.call('ZSCORE', present, lapsed[i]) then
      step_out(lapsed[i], tonumber(lapsed[i + 1]))
    else
      forget(lapsed[i])
    end
  end
end

-- Returns the first present waiter. A waiter whose presence lapsed is passed over.
local function first_present()
  for _ = 1, LAPSED_MAX do
    local first = redis.call('ZRANGE', present, 0, 0)[1]
    if not first then return nil end
    local ends_ms = tonumber(redis.call('ZSCORE', deadline, first) or 0)
    if ends_ms > now_ms then return first end
    step_out(first, ends_ms)
  end
  return nil
end

-- Makes the waiter present, with its number.
local function step_in(who, number, theirs)
  redis.call('ZADD', present, number, who)
  redis.call('ZADD', deadline, now_ms + presence_ms, who)
  redis.call('HSET', marks, who, theirs)
end

-- Returns whether a holder claimed this attempt. A claim that the attempt has not heard of when
-- the holder must have its answer is void: the answer was lost.
local function is_claimed()
  if redis.call('HGET', marks, waiter) ~= mark then return false end
  if redis.call('ZSCORE', present, waiter) then return false end
  local ends_ms = tonumber(redis.call('ZSCORE', deadline, waiter) or 0)
  return now_ms < ends_ms - claim_ms + CLAIM_ANSWERED_MS
end

-- Returns the number of waiters, how many are before this one, and the pace.
local function view()
  local count, ahead = redis.call('ZCARD', waiters), redis.call('ZRANK', waiters, waiter) or 0
  return count, ahead, tonumber(redis.call('HGET', pace, 'gap') or -1)
end

local function has_it()
  local waiting, _, gap = view()
  return { 1, waiting, 0, gap }
end

-- Takes the lock, which is free, for this attempt.
local function take()
  forget(waiter)
  redis.call('SET', holder, mark, 'PX', lease_ms)
  return has_it()
end

-- Renews the lock, which this attempt holds: the answer got lost, or came too late to be trusted.
local function keep()
  redis.call('PEXPIRE', holder, lease_ms)
  return has_it()
end

-- Wakes the attempt of the first waiter. The message grants nothing: the free lock is taken by
-- asking for it, and no other waiter gets it while the first is present.
local function wake(first)
  local theirs = redis.call('HGET', marks, first)
  if theirs then redis.call('PUBLISH', channel, theirs) end
end
