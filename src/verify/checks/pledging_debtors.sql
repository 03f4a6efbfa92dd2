-- Lists open transfers of accounts that owe more points than they have beside what is withheld: points that
-- were taken back could leave by them.
select 'transfer ' || transfers.id as "subject!",
    format('waits, and its sender owes %s points and has %s beside what is withheld', debt,
        balance - pending) as "sentence!"
from wallets
join transfers on sender_id = account_id and status = 'PENDING' and expires_at > now()
where debt > 0 and balance - pending < debt
order by transfers.id
limit $1
