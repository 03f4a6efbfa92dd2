-- Beginning of the scripts that record or judge polls: the clock of heard time.
--
-- Run by: entry_queue::redis_queue, in front of poll.lua and head.lua
--
-- KEYS[1..], ARGV  as the script that follows has them; `hearing` is a hash of the program:
--   heard       ms for which polls were heard, in all, up to the last one
--   last        when the last poll of any account was recorded (ms since the epoch)
--   resumed     `heard` when polls resumed after a whole grace without any
--   behind      `heard` at the last recorded poll from behind the window
--   entered_to  the highest queue number that was noted as inside the window
--
-- Returns  nothing: the script that follows returns
--
-- Why a script: both must read the same clock. The clock stops a tenth of the grace after the
-- last poll, so that no account becomes silent during an outage; a server clock that is set
-- forward or back moves it no further than that.
-- Cost: O(1).

-- A poll within this time after the last one moves the clock without being written.
local NOTED_MS = 100

local function milliseconds(number) return string.format('%.0f', number) end

-- Returns the current heard time and the stored values.
local function listen(hearing, grace_ms)
  local kept = redis.call('HMGET', hearing, 'heard', 'last', 'resumed', 'behind')
  local now = redis.call('TIME')
  local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
  local last_ms = tonumber(kept[2] or now_ms)
  local gap_ms = math.max(0, now_ms - last_ms)
  local counted_ms = math.min(gap_ms, math.floor(grace_ms / 10))
  return {
    now_ms = now_ms, gap_ms = gap_ms, heard_ms = tonumber(kept[1] or 1) + counted_ms,
    is_first = not kept[2], is_set_back = now_ms < last_ms,
    resumed_ms = tonumber(kept[3] or 1), behind_ms = tonumber(kept[4] or -1),
  }
end
