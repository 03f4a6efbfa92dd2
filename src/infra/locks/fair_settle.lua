-- Ends claims: the waiters leave, wait again, or are absent.
--
-- Run by: infra::locks::attempt::LockAttempt::settle, behind fair_waiters.lua
--
-- KEYS[1..7], ARGV[1..9]  as fair_waiters.lua describes them
-- ARGV[10..]  three for each claim:
--   end     done: the request was carried out; back: it was not, and the waiter is present
--           again; later: the outcome is unknown, and the waiter is absent
--   mark    of the claimed attempt
--   number  of its waiter
--
-- Returns  nothing
--
-- Why a script: all waiters that wait again must be present before any of them asks for the lock,
-- or the lock would go to a later one.
-- Cost: O(n log m) for n claims and m waiters.

local held = redis.call('GET', holder)

for i = 10, #ARGV, 3 do
  local ending, theirs, number = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local who = string.match(theirs, '^(.*)/')
  local waits_as = redis.call('HGET', marks, who)
  -- A command that the attempt sent before the claim arrived after the claim had lapsed.
  if held == theirs then
    redis.call('DEL', holder)
    held = false
  end
  if waits_as and waits_as ~= theirs then
    -- Another attempt of the same waiter is inside a request and keeps the place.
  elseif ending == 'done' then
    if waits_as then forget(who) end
  else
    -- A claim that lapsed costs no number.
    local arrival = redis.call('ZSCORE', waiters, who)
    if not arrival or tonumber(arrival) > tonumber(number) then
      redis.call('ZADD', waiters, number, who)
    end
    if ending == 'back' then
      step_in(who, number, theirs)
    else
      step_out(who, now_ms)
    end
  end
end
keep_waiters()
if not held then
  local first = first_present()
  if first then wake(first) end
end
