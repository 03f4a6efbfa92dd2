-- Returns the rank of one member of a ranking.
--
-- Run by: catalog::popularity::view::rank_of
--
-- KEYS[1]  whole    string  there once the view has every change
-- KEYS[2]  ranking  zset    id -> score
-- ARGV[1]  id
--
-- Returns  { rank, 0 if the ranking does not list it }; {} while it is not known
--
-- Why a script: the score and the scores above it are of one moment.
-- Cost: O(log m).

if redis.call('EXISTS', KEYS[1], KEYS[2]) < 2 then return {} end
local score = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not score or tonumber(score) <= 0 then return { 0 } end
return { 1 + redis.call('ZCOUNT', KEYS[2], '(' .. score, '+inf') }
