-- Takes back an attempt whose password was not checked.
--
-- Run by: accounts::log_in::guesses::Guesses::withdraw
--
-- KEYS[1]  failures  hash  <source>|n -> failures; <source>|until -> end of the pause in ms
-- ARGV[1]  source
-- ARGV[2]  free attempts
--
-- Returns  1
--
-- Why a script: reads and decrements atomically beside concurrent attempts.
-- Cost: O(1).

local n = tonumber(redis.call('HGET', KEYS[1], ARGV[1] .. '|n') or '0')
if n > 0 then
  n = redis.call('HINCRBY', KEYS[1], ARGV[1] .. '|n', -1)
  if n < tonumber(ARGV[2]) then redis.call('HDEL', KEYS[1], ARGV[1] .. '|until') end
end
return 1
