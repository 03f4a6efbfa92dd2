-- Lists tokens with an access gate whose codes their account did not redeem in time, and admissions by
-- a gate before it opened.
select 'queue token ' || t.id as "subject!",
    case when t.through_gate and t.admitted_at < g.opens_at
        then format('was admitted by access gate %s at %s, which opens at %s',
            g.id, t.admitted_at, g.opens_at)
        else format('of account %s may use access gate %s, of which it redeemed no code',
            t.account_id, g.id)
    end as "sentence!"
from queue_tokens t
join access_gates g on g.id = t.gate_id
where t.through_gate and t.admitted_at < g.opens_at
    or not exists (
        select from code_redemptions r
        join sale_codes c on c.id = r.sale_code_id
        where r.account_id = t.account_id and c.gate_id = t.gate_id
            and (not t.through_gate or r.redeemed_at <= t.admitted_at)
    )
limit $1
