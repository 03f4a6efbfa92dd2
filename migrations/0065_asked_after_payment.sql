-- Questions about paid charges: refunds, failed refunds and disputes whose message did not arrive.
--
-- The provider delivers each message for some days and then gives up; the office may be away, or its address
-- or its list of events wrong for longer. So a worker asks about settled charges as well, with the columns
-- that say so of open ones: `check_at`, when next, and `n_checks`, how often it was answered since the
-- charge was settled. 'infinity' means never again.
--
-- A version before this one leaves both as they are when it settles a charge, which is then asked about at
-- once. The charges of today are spread over a day, so that the provider is not asked about all of them in
-- the first minutes.

update charges
set n_checks = 0,
    check_at = case
        when settled_at < now() - interval '180 days' and status <> 'DISPUTED' then 'infinity'
        else now() + random() * interval '1 day'
    end
where settled_at is not null;

-- Settled charges whose provider is to be asked, for a worker. Only its own statement states the second
-- condition, as at `charges_due`.
create index charges_due_settled on charges (check_at, id)
    where settled_at is not null and check_at < 'infinity';
