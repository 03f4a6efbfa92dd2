-- What the download of one's own data finds by the person, newest first.
create index outbox_recipient on outbox (recipient, id desc);
create index charges_account_id on charges (account_id, id desc);
