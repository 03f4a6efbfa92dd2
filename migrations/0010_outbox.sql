-- Outbox: mails that must be sent. A mail's row is written in the transaction of what the mail
-- tells, so neither exists without the other, and is sent later by any instance.

-- Language of an account's mails, as a tag: that of the pages its owner used last.
alter table accounts add column locale text not null default 'en';
alter table accounts add constraint accounts_locale_tag check (locale ~ '^[a-z]{2,3}$');

create table outbox (
    -- Also names the mail in its Message-ID, so that a repeated mail can be recognized.
    id              uuid        primary key,
    -- Order of writing, by the database: two instances' clocks may differ.
    position        bigint      not null generated always as identity,
    -- What the mail tells, and what is needed to say it.
    kind            text        not null,
    payload         jsonb       not null,
    -- Part of the mail that grants something to whoever reads it, such as the token of a link.
    -- Null as soon as the mail is sent or given up.
    secret          text,
    recipient       text        not null,
    locale          text        not null,
    -- Thing that the mail is about. The mails of one thing are sent in the order of `position`.
    order_key       text        not null,
    -- Event that the mail tells; an event is told once.
    dedupe_key      text        not null,
    -- Attempts that the mail server answered with a refusal, or cut off.
    attempts        integer     not null default 0,
    -- Claims by instances. An instance that lost its claim meanwhile may not give the mail up.
    claims          integer     not null default 0,
    -- Earliest time of the next attempt; during an attempt, the time at which its claim ends.
    next_attempt_at timestamptz not null default clock_timestamp(),
    -- When the mail is given up.
    expires_at      timestamptz not null,
    sent_at         timestamptz,
    failed_at       timestamptz,
    last_error      text,
    created_at      timestamptz not null default clock_timestamp(),

    constraint outbox_dedupe_key_key unique (dedupe_key),
    constraint outbox_position_key unique (position),
    constraint outbox_sent_or_failed check (sent_at is null or failed_at is null),
    constraint outbox_ended_keeps_no_secret
        check (secret is null or (sent_at is null and failed_at is null)),
    constraint outbox_failed_says_why check (failed_at is null or last_error is not null),
    constraint outbox_recipient_length check (length(recipient) between 3 and 254),
    constraint outbox_locale_tag check (locale ~ '^[a-z]{2,3}$'),
    constraint outbox_counts_not_negative check (attempts >= 0 and claims >= 0)
);

-- Mails to be sent, by the time of their next attempt.
create index outbox_next_attempt_at on outbox (next_attempt_at)
    where sent_at is null and failed_at is null;
-- Mails of one thing that are still to be sent, in their order.
create index outbox_order on outbox (order_key, position)
    where sent_at is null and failed_at is null;
-- Mails to be given up, by that time.
create index outbox_expires_at on outbox (expires_at) where sent_at is null and failed_at is null;
-- Mails still to be sent and mails given up, newest first, for the administrators' list.
create index outbox_waiting on outbox (id) where sent_at is null and failed_at is null;
create index outbox_failed on outbox (id) where failed_at is not null;
-- Old mails, to be deleted.
create index outbox_created_at on outbox (created_at);
