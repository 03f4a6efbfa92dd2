-- Lists request keys whose kept outcome is missing, names what does not exist, or belongs to
-- another account: a repeated request would be answered with something untrue.
with named as (
    select account_id, key, outcome,
        outcome ->> 'reservation_id' as reservation_id,
        outcome ->> 'payment_id' as payment_id,
        outcome ->> 'transfer_id' as transfer_id,
        outcome ->> 'hand_over_id' as hand_over_id,
        outcome ->> 'share_id' as share_id,
        outcome ->> 'return_id' as return_id,
        outcome ->> 'exchange_id' as exchange_id
    from idempotency_keys
)
select format('request key %s of account %s', key, account_id) as "subject!",
    format('was answered with %s, which is not true',
        coalesce(left(outcome::text, 200), 'nothing')) as "sentence!"
from named
where outcome is null
    or reservation_id is not null and not exists (
        select from reservations
        where id::text = named.reservation_id and (account_id = named.account_id
            -- Refunded by an administrator, under a request key of the administrator's own.
            or exists (select from audit_log act
                       where act.subject_id = named.reservation_id
                           and act.account_id = named.account_id
                           and act.act = 'refunded')))
    or payment_id is not null and not exists (
        select from payments
        where id::text = named.payment_id and account_id = named.account_id
            and amount = coalesce((outcome ->> 'amount')::bigint, amount))
    or transfer_id is not null and not exists (
        select from transfers
        where id::text = named.transfer_id and sender_id = named.account_id)
    or hand_over_id is not null and not exists (
        select from ticket_hand_overs
        where id::text = named.hand_over_id and sender_id = named.account_id)
    or share_id is not null and not exists (
        select from shares join reservations on reservations.id = reservation_id
        where shares.id::text = named.share_id
            and named.account_id in (payer_id, reservations.account_id)
            and amount = coalesce((outcome ->> 'amount')::bigint, amount))
    or return_id is not null and not exists (
        -- Tickets that were refunded together have a return each.
        select from ticket_returns
        where seller_id = named.account_id
            and (id::text = named.return_id or outcome -> 'more' ? id::text)
        having count(*) = 1 + coalesce(jsonb_array_length(outcome -> 'more'), 0)
            and sum(payout) = coalesce(outcome ->> 'payout', outcome ->> 'refunded')::bigint)
    or exchange_id is not null and not exists (
        select from exchanges
        where id::text = named.exchange_id and account_id = named.account_id)
limit $1
