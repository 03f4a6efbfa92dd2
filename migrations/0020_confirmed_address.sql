-- A program may ask for a confirmed e-mail address before its queue is joined.
alter table programs add column join_confirmed_address boolean not null default false;

alter table queue_guard_effects drop constraint queue_guard_effects_guard_known;
alter table queue_guard_effects add constraint queue_guard_effects_guard_known
    check (guard in ('ACCOUNT_AGE', 'CONFIRMED_ADDRESS', 'PROOF', 'ADDRESS', 'COOL_DOWN'));

-- Page of this site that a link leads on to after it was used; null: the page of the account.
alter table account_tokens add column next_path text;
alter table account_tokens add constraint account_tokens_next_path_length
    check (length(next_path) between 1 and 2000);
