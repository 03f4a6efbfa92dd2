-- The office was away after five seconds without a beat, not after fifteen: a hold of a minute loses a quarter of its time in
-- fifteen seconds. AWAY_MIN in src/reservation/given_time/mod.rs has the same length. Nor does anything end while lines and
-- sales stand still after a setback (0114): whoever holds cannot pay then.
create or replace function is_office_awake() returns boolean language sql stable as $$
    select coalesce((select beat_at > statement_timestamp() - interval '5 seconds' from office_pulse), true)
        and not exists (select from setbacks where ended_at is null)
$$;
