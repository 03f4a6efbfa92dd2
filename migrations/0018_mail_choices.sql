-- Mails as the owner of an account wants them: their language, and which of the optional ones.

-- Language chosen for mails; null: `locale`, that of the pages used last.
alter table accounts add column mail_locale text;
alter table accounts add constraint accounts_mail_locale_tag check (mail_locale ~ '^[a-z]{2,3}$');
-- Whether mails about points that somebody sends, and about one's turn in a queue, are written.
alter table accounts add column mails_transfers boolean not null default true;
alter table accounts add column mails_turn boolean not null default true;

-- Account that may decline further mails of this kind, for the link in the mail; null: nobody may.
-- No foreign key: a mail outlives what it tells of.
alter table outbox add column declinable_by uuid;
