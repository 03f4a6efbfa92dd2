-- Renews a fair lock that still holds its mark.
--
-- Run by: infra::locks::attempt::LockAttempt::renew
--
-- KEYS[1]  holder    string  the mark of the attempt that holds the lock
-- ARGV[1]  mark      of this attempt
-- ARGV[2]  lease_ms  expiry of the lock, counted from now
--
-- Returns  1 if this attempt still holds the lock, otherwise 0
--
-- Why a script: a lock that expired and was taken by another attempt must not be renewed,
-- so compare and renew must be atomic.
-- Cost: O(1).

if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
