-- Begins an attempt to log in to one account, unless its source has to wait.
--
-- Run by: accounts::log_in::guesses::Guesses::begin
--
-- KEYS[1]  failures  hash  <source>|n -> failures; <source>|until -> end of the pause in ms
-- KEYS[2]  networks  zset  network -> last log-in from it
-- ARGV[1]  known device, or nothing
-- ARGV[2]  network
-- ARGV[3]  free attempts
-- ARGV[4]  longest pause in ms
-- ARGV[5]  how long failures are remembered in ms
--
-- Returns  { source, ms to wait }; 0 ms where the attempt begins
--
-- Why a script: checks and counts atomically, so that concurrent attempts at all instances are
-- each counted before the next one is allowed.
-- Cost: O(1).

local moment = redis.call('TIME')
local now = moment[1] * 1000 + math.floor(moment[2] / 1000)
local source = 'stranger'
if ARGV[1] ~= '' then
  source = 'device:' .. ARGV[1]
elseif redis.call('ZSCORE', KEYS[2], ARGV[2]) then
  source = 'network:' .. ARGV[2]
end

local wait = tonumber(redis.call('HGET', KEYS[1], source .. '|until') or '0') - now
if wait > 0 then return { source, wait } end

local n = redis.call('HINCRBY', KEYS[1], source .. '|n', 1)
local free = tonumber(ARGV[3])
if n >= free then
  local pause = math.min(tonumber(ARGV[4]), 1000 * 2 ^ math.min(n - free, 30))
  redis.call('HSET', KEYS[1], source .. '|until', string.format('%d', now + pause))
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return { source, 0 }
