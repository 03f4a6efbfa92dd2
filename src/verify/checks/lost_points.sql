-- Lists one row if points were created or lost: balances must add up to what came in less what went
-- out, transfers to zero, and every amount must have the sign of its kind.
with held as (
    select coalesce(sum(balance), 0) as points from wallets
), made as (
    select coalesce(sum(amount) filter
            (where kind in ('CHARGE', 'PURCHASE', 'REVERSAL', 'REINSTATEMENT', 'ADJUSTMENT',
                            'REFUND', 'RESALE', 'PAYOUT', 'PAYOUT_RETURN', 'PAYMENT', 'WRITE_OFF', 'FORFEIT')),
            0) as points,
        coalesce(sum(amount) filter (where kind like 'TRANSFER%'), 0) as transferred,
        count(*) filter (where case kind
            when 'PAYMENT' then amount > 0
            when 'REVERSAL' then amount > 0
            when 'PAYOUT' then amount >= 0
            when 'FORFEIT' then amount > 0
            when 'WRITE_OFF' then amount <> 0
            when 'TRANSFER_OUT' then amount > 0
            when 'SHARE_HOLD' then amount <> 0
            when 'SHARE_RELEASE' then amount <> 0
            when 'ADJUSTMENT' then false
            else amount < 0 end) as n_wrong_signs
    from point_transactions
)
select 'all wallets' as "subject!",
    format('hold %s, charges, adjustments, refunds and sales less payments, payouts, reversals and what was given up '
        'are %s; transfers add up to %s; %s changes have the sign of another kind',
        held.points, made.points, transferred, n_wrong_signs) as "sentence!"
from held cross join made
where held.points <> made.points or transferred <> 0 or n_wrong_signs <> 0
limit $1
