-- Mails to one address, for the download of one's own data.
create index outbox_recipient on outbox (recipient);
