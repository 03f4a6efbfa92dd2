-- Returns a page of a ranking.
--
-- Run by: catalog::popularity::view::rank
--
-- KEYS[1]  whole    string  there once the view has every change
-- KEYS[2]  ranking  zset    id -> score
-- ARGV[1]  members before the page
-- ARGV[2]  upper bound of its members
--
-- Returns  { members of the whole ranking, rank of the first, id, score, ... }; {} while it is not known
--
-- Why a script: rank, count and members are of one moment.
-- Cost: O(log m + n) for n members, and what a sorted set takes to skip the members before them.

if redis.call('EXISTS', KEYS[1], KEYS[2]) < 2 then return {} end
local all = redis.call('ZCOUNT', KEYS[2], '(0', '+inf')
local page = redis.call('ZRANGE', KEYS[2], '+inf', '(0', 'BYSCORE', 'REV', 'LIMIT', ARGV[1], ARGV[2], 'WITHSCORES')
local rank = 1
if page[2] then rank = 1 + redis.call('ZCOUNT', KEYS[2], '(' .. page[2], '+inf') end
local answer = { tostring(all), tostring(rank) }
for i = 1, #page do answer[i + 2] = page[i] end
return answer
