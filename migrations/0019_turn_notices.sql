-- Notices that a person's turn in a queue is near: one for each token whose owner asked for it.
create table turn_notices (
    token_id     uuid        primary key references queue_tokens on delete cascade,
    -- Those of the token, so that the notices of a queue are found in its order.
    program_id   uuid        not null,
    queue_number bigint      not null,
    asked_at     timestamptz not null default clock_timestamp(),
    -- When the mail was written, or the token was found to be gone; null: still to come. A token is
    -- told once, so its owner cannot ask again.
    ended_at     timestamptz
);

-- Notices still to come, in the order of their queue.
create index turn_notices_pending on turn_notices (program_id, queue_number)
    where ended_at is null;
