-- What every script of a fair lock begins with: the line and who of it is here.
--
-- Run by: infra::locks::attempt::Attempt, in front of fair_enter.lua and fair_leave.lua
--
-- KEYS[1]  holder    string  the mark of whoever has the lock
-- KEYS[2]  line      zset    waiter -> arrival number
-- KEYS[3]  present   zset    waiter -> arrival number: those inside a request now
-- KEYS[4]  deadline  zset    waiter -> when they count as absent, or lose their place (ms)
-- KEYS[5]  clock     string  the last number given out
-- KEYS[6]  pace      hash    last: when the lock was last given back (us); gap: mean time between
--                            (us); fence: the number of whoever has it
-- KEYS[7]  marks     hash    waiter -> the mark of their attempt that is inside a request
-- ARGV[1]  mark         this attempt's
-- ARGV[2]  waiter       whose attempt it is
-- ARGV[3]  channel      where the next one is woken
-- ARGV[4]  lease_ms     when the lock ends by itself
-- ARGV[5]  presence_ms  how long a waiter counts as present without asking again
-- ARGV[6]  absence_ms   how long the absent keep their place
-- ARGV[7]  line_ms      how long anybody keeps it, from arrival
-- ARGV[8]  kept_ms      when a line that nobody touches is forgotten
--
-- Returns  nothing: what follows it returns
--          { taken 0|1, fence, waiting, ahead, gap_us or -1 }
--
-- Why a script: it is one half of two, and both must see the line alike.
-- A number is an arrival time in us, raised by one where two would be equal: numbers
-- rise even when Redis forgot the last one, and say themselves when somebody came.
-- Cost: O(log n) a step; whoever lapses is moved twice at most.

local LAPSED_MAX = 32

local holder, line, present, deadline = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local clock, pace, marks = KEYS[5], KEYS[6], KEYS[7]
local mark, waiter, channel = ARGV[1], ARGV[2], ARGV[3]
local lease_ms, presence_ms = ARGV[4], tonumber(ARGV[5])
local absence_ms, line_ms, kept_ms = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]

local time = redis.call('TIME')
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)

local function next_number()
  local number = math.max(tonumber(redis.call('GET', clock) or 0) + 1, now_us)
  redis.call('SET', clock, string.format('%.0f', number), 'PX', kept_ms)
  return number
end

local function forget(who)
  redis.call('ZREM', line, who)
  redis.call('ZREM', present, who)
  redis.call('ZREM', deadline, who)
  redis.call('HDEL', marks, who)
end

-- From `since_ms` on this waiter is absent: the place is kept for a while.
local function step_out(who, since_ms)
  local arrival = tonumber(redis.call('ZSCORE', line, who) or 0)
  local ends_ms = math.min(since_ms + absence_ms, math.floor(arrival / 1000) + line_ms)
  if ends_ms <= now_ms then
    forget(who)
  else
    redis.call('ZREM', present, who)
    redis.call('HDEL', marks, who)
    redis.call('ZADD', deadline, ends_ms, who)
  end
end

local function sweep()
  local lapsed = redis.call('ZRANGEBYSCORE', deadline, '-inf', now_ms, 'WITHSCORES', 'LIMIT', 0, LAPSED_MAX)
  for i = 1, #lapsed, 2 do
    if redis.call('ZSCORE', present, lapsed[i]) then
      step_out(lapsed[i], tonumber(lapsed[i + 1]))
    else
      forget(lapsed[i])
    end
  end
end

-- The first who is here. One that died in a request is passed over.
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

-- How long the line is, how many of it stand before the waiter, and the pace.
local function view()
  local count, ahead = redis.call('ZCARD', line), redis.call('ZRANK', line, waiter) or 0
  return count, ahead, tonumber(redis.call('HGET', pace, 'gap') or -1)
end

local function has_it(fence)
  local waiting, _, gap = view()
  return { 1, tonumber(fence), waiting, 0, gap }
end

-- The lock, which is free, becomes this attempt's.
local function take()
  forget(waiter)
  local fence = string.format('%.0f', next_number())
  redis.call('SET', holder, mark, 'PX', lease_ms)
  redis.call('HSET', pace, 'fence', fence)
  redis.call('PEXPIRE', pace, kept_ms)
  return has_it(fence)
end

-- The lock is this attempt's already: its answer got lost, or came too late to be believed.
local function keep()
  redis.call('PEXPIRE', holder, lease_ms)
  return has_it(redis.call('HGET', pace, 'fence') or 0)
end

-- Wakes the attempt of whoever is first. The message gives them nothing: the lock, which is
-- free, is theirs when they ask for it, and nobody else's while they are present.
local function wake(first)
  local theirs = redis.call('HGET', marks, first)
  if theirs then redis.call('PUBLISH', channel, theirs) end
end
