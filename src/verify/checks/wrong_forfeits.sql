-- Lists points that were given up without the deletion of their account, and closed wallets without
-- the entry that emptied them.
select 'point transaction ' || entry.id as "subject!",
    format('gives %s up in wallet %s of account %s, for %s', -entry.amount, wallets.id, account_id,
        reference_id) as "sentence!"
from point_transactions entry
join wallets on wallets.id = wallet_id
join accounts on accounts.id = account_id
where kind = 'FORFEIT'
    and (deleted_at is null or entry.balance_after <> 0
        -- Emptied by the deletion, or by a refund of an order or a ticket, or a payout that failed, later.
        or reference_id <> account_id
            and not exists (select from payments
                            where payments.id = reference_id
                                and payments.account_id = wallets.account_id)
            and not exists (select from ticket_returns
                            where ticket_returns.id = reference_id and to_house
                                and seller_id = wallets.account_id)
            and not exists (select from payouts
                            join charges on charges.id = charge_id
                            where payouts.id = reference_id and payouts.status = 'FAILED'
                                and charges.account_id = wallets.account_id))
union all
select 'wallet ' || wallets.id,
    format('was closed at %s, and no entry gave its points up', closed_at)
from wallets
where closed_at is not null
    and not exists (select from point_transactions
                    where reference_id = account_id and kind = 'FORFEIT'
                        and wallet_id = wallets.id)
limit $1
