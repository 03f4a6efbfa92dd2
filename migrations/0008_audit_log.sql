-- Audit log: acts of staff and administrators. Append-only.
create table audit_log (
    id           uuid        primary key,
    -- Account that acted.
    account_id   uuid        not null references accounts,
    act          text        not null,
    -- What was acted on.
    subject_kind text        not null,
    subject_id   text        not null,
    -- State before and after the act; null where there is none.
    before       jsonb,
    after        jsonb,
    reason       text,
    acted_at     timestamptz not null default clock_timestamp()
);

-- Acts of one account, on one subject and of one kind, newest first.
create index audit_log_account_id on audit_log (account_id, id desc);
create index audit_log_subject on audit_log (subject_id, id desc);
create index audit_log_act on audit_log (act, id desc);

create trigger audit_log_append_only
    before update or delete on audit_log
    for each row execute function refuse_change();
create trigger audit_log_kept
    before truncate on audit_log
    for each statement execute function refuse_change();
