-- Writes changed sales of one day into the rankings, and moves the view's cursor past them.
--
-- Run by: catalog::popularity::view::project
--
-- KEYS[1]       cursor       string  last change that the view has
-- KEYS[2]       whole        string  there once the view has every change
-- KEYS[3..6]    the day      zset    id -> score: programs by bookings, performances by bookings,
--                                    programs by revenue, performances by revenue
-- KEYS[7..]     the weeks    zset    the same four, of each week that has the day and is not over
-- ARGV[1]  cursor that the changes follow; '' for none
-- ARGV[2]  cursor after them
-- ARGV[3]  1 if there are no more changes
-- ARGV[4]  seconds of Unix time at which the day's rankings are no longer kept
-- ARGV[5..]  program, performance, bookings, revenue of each change
--
-- Returns  { written 0|1 }: 0 if the cursor has moved
--
-- Why a script: a change must be added once, and the cursor is what says whether it was; sums are
-- changed by the difference to what the day had before.
-- Cost: O(n * weeks * log m) for n changes, at most 100.

if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return { 0 } end
for i = 5, #ARGV, 4 do
  for measure = 0, 1 do
    local programs, performances = KEYS[3 + 2 * measure], KEYS[4 + 2 * measure]
    local before = tonumber(redis.call('ZSCORE', performances, ARGV[i + 1]) or '0')
    local change = string.format('%.0f', tonumber(ARGV[i + 2 + measure]) - before)
    redis.call('ZINCRBY', performances, change, ARGV[i + 1])
    redis.call('ZINCRBY', programs, change, ARGV[i])
    for week = 7, #KEYS, 4 do
      redis.call('ZINCRBY', KEYS[week + 2 * measure], change, ARGV[i])
      redis.call('ZINCRBY', KEYS[week + 1 + 2 * measure], change, ARGV[i + 1])
    end
  end
end
for k = 3, #KEYS do redis.call('EXPIREAT', KEYS[k], ARGV[4]) end
redis.call('SET', KEYS[1], ARGV[2])
if ARGV[1] == '' then redis.call('DEL', KEYS[2]) end
if ARGV[3] == '1' then redis.call('SET', KEYS[2], '1') end
return { 1 }
