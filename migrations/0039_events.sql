-- Events: what happened, for the systems of others, and their deliveries to endpoints.
--
-- An event is written by the statement that does what the event tells, so neither exists without
-- the other, and only while an endpoint asks for its kind: an office without endpoints writes no row
-- here. The order of the events of one subject is that of `position`, which is drawn while the
-- subject's row is locked.

-- Addresses that events are sent to.
create table webhook_endpoints (
    id                uuid        primary key,
    url               text        not null,
    -- What administrators call it.
    description       text        not null,
    -- Kinds of events that it asks for.
    kinds             text[]      not null,
    -- Secret that signs what is sent: nonce, encrypted secret and tag. The id of the endpoint is
    -- authenticated with them. Null once the endpoint is deleted.
    sealed_secret     bytea,
    -- Secret before the last rotation, which signs too until its end.
    sealed_old_secret bytea,
    old_secret_until  timestamptz,
    -- Null: not paused. Events are written for a paused endpoint, and wait.
    paused_at         timestamptz,
    deleted_at        timestamptz,
    created_at        timestamptz not null default clock_timestamp(),

    constraint webhook_endpoints_url_form check (url ~ '^https?://' and length(url) <= 2000),
    constraint webhook_endpoints_description_length check (length(description) between 1 and 80),
    constraint webhook_endpoints_kinds_number check (cardinality(kinds) between 1 and 40),
    constraint webhook_endpoints_sealed_secret_length check (length(sealed_secret) = 60),
    constraint webhook_endpoints_sealed_old_secret_length check (length(sealed_old_secret) = 60),
    constraint webhook_endpoints_old_secret_ends
        check ((sealed_old_secret is null) = (old_secret_until is null)),
    constraint webhook_endpoints_deleted_keeps_no_secret
        check ((deleted_at is null) = (sealed_secret is not null)
            and (deleted_at is null or sealed_old_secret is null))
);

create table domain_events (
    -- Also names the event to whoever receives it, however often.
    id          uuid        primary key,
    -- Order of writing, by the database.
    position    bigint      not null generated always as identity,
    -- Row that the event is about. No foreign key: an event outlives it.
    subject_id  uuid        not null,
    kind        text        not null,
    -- What is told, without anything about a person.
    payload     jsonb       not null,
    occurred_at timestamptz not null default clock_timestamp(),

    constraint domain_events_position_key unique (position),
    constraint domain_events_kind_form check (kind ~ '^[a-z]+\.[a-z_]+$'),
    constraint domain_events_payload_object check (jsonb_typeof(payload) = 'object')
);

-- The events of one subject, in order.
create index domain_events_subject_id on domain_events (subject_id, position);
-- Old events, to be deleted.
create index domain_events_occurred_at on domain_events (occurred_at);

-- An event is what happened: it never changes. Old ones are deleted.
create function refuse_change_of_event() returns trigger language plpgsql as $$
begin
    raise exception 'event % has happened', old.id
        using errcode = 'integrity_constraint_violation', constraint = 'domain_events_never_change';
end
$$;

create trigger domain_events_never_change
    before update on domain_events
    for each row execute function refuse_change_of_event();

-- One event for one endpoint. The deliveries of one subject to one endpoint are made one after the
-- other, in the order of `position`.
create table webhook_deliveries (
    endpoint_id     uuid        not null,
    event_id        uuid        not null,
    -- Subject and position of the event.
    subject_id      uuid        not null,
    position        bigint      not null,
    -- Attempts of which the outcome is known.
    attempts        integer     not null default 0,
    -- Claims by instances. An instance that lost its claim meanwhile may not put the delivery off.
    claims          integer     not null default 0,
    -- Earliest time of the next attempt; during an attempt, the time at which its claim ends.
    next_attempt_at timestamptz not null default clock_timestamp(),
    -- When the delivery is given up.
    expires_at      timestamptz not null default clock_timestamp() + interval '3 days',
    delivered_at    timestamptz,
    failed_at       timestamptz,
    -- When it was asked for once more; null: never. It is then made after later ones.
    replayed_at     timestamptz,
    -- Last attempt: the status of its answer, if there was one, why it failed, how long it took.
    last_status     integer,
    last_error      text,
    last_latency_ms integer,
    created_at      timestamptz not null default clock_timestamp(),

    constraint webhook_deliveries_pkey primary key (endpoint_id, event_id),
    constraint webhook_deliveries_of_endpoint foreign key (endpoint_id) references webhook_endpoints,
    constraint webhook_deliveries_of_event
        foreign key (event_id) references domain_events on delete cascade,
    constraint webhook_deliveries_delivered_or_failed
        check (delivered_at is null or failed_at is null),
    constraint webhook_deliveries_failed_says_why check (failed_at is null or last_error is not null),
    constraint webhook_deliveries_counts_not_negative check (attempts >= 0 and claims >= 0)
);

-- Deliveries to be made, by the time of their next attempt.
create index webhook_deliveries_next_attempt_at on webhook_deliveries (endpoint_id, next_attempt_at)
    where delivered_at is null and failed_at is null;
-- Deliveries of one subject that are still to be made, in their order.
create index webhook_deliveries_order on webhook_deliveries (endpoint_id, subject_id, position)
    where delivered_at is null and failed_at is null;
-- Deliveries to be given up, by that time.
create index webhook_deliveries_expires_at on webhook_deliveries (expires_at)
    where delivered_at is null and failed_at is null;
-- Deliveries still to be made and deliveries given up, newest first, for the administrators' list.
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, event_id)
    where delivered_at is null and failed_at is null;
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, event_id)
    where failed_at is not null;
-- The deliveries of an event that is deleted.
create index webhook_deliveries_event_id on webhook_deliveries (event_id);

-- Every event has its deliveries from the moment on in which it is written, whoever writes it.
create function write_webhook_deliveries() returns trigger language plpgsql as $$
begin
    insert into webhook_deliveries (endpoint_id, event_id, subject_id, position)
    select id, new.id, new.subject_id, new.position
    from webhook_endpoints
    where deleted_at is null and kinds @> array[new.kind];
    return null;
end
$$;

create trigger domain_events_are_delivered
    after insert on domain_events
    for each row execute function write_webhook_deliveries();
