-- Raises marks of an office, and returns what they are then.
--
-- Run by: setbacks::shared_marks::raise
--
-- KEYS[1]  marks  hash  name -> the highest value that any instance told
-- ARGV     the expiry in seconds, then names and values in turn
--
-- Returns  the values after, in the order of the names
--
-- Why a script: a lower value of a slower instance must never replace a higher one.
-- Cost: O(number of names).

local marks = {}
for i = 2, #ARGV, 2 do
  local known = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '-1')
  local told = tonumber(ARGV[i + 1])
  if told > known then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    known = told
  end
  marks[#marks + 1] = known
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return marks
