-- Clears the failures of the source that gave the right password and records its network as
-- known.
--
-- Run by: accounts::log_in::guesses::Guesses::succeed
--
-- KEYS[1]  failures  hash  <source>|n -> failures; <source>|until -> end of the pause in ms
-- KEYS[2]  networks  zset  network -> last log-in from it
-- ARGV[1]  source
-- ARGV[2]  network
-- ARGV[3]  networks kept
-- ARGV[4]  how long they are kept in ms
--
-- Returns  1
--
-- Why a script: clears and records atomically.
-- Cost: O(log n) of the networks kept.

local moment = redis.call('TIME')
redis.call('HDEL', KEYS[1], ARGV[1] .. '|n', ARGV[1] .. '|until')
redis.call('ZADD', KEYS[2], moment[1], ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -tonumber(ARGV[3]) - 1)
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return 1
