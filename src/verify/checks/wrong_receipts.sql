-- Lists receipts that are missing: a number before the next one, one of a sale entry that moved points since receipts are
-- issued, or the one that another replaces; and receipts of another account than the payer.
select 'receipt numbers' as "subject!",
    format('have %s receipts, the last %s, and %s comes next', count(number), max(number), next_number) as "sentence!"
from receipt_progress
left join receipts on true
group by next_number
having count(number) <> next_number - 1 or coalesce(max(number), 0) <> next_number - 1
union all
select 'sale entry ' || sale_entries.id,
    format('of %s points has %s receipts, the last edition %s', points, count(receipts.number),
        coalesce(max(edition), 0))
from sale_entries
cross join receipt_progress
left join receipts on entry_id = sale_entries.id
group by sale_entries.id, numbered_from
having count(receipts.number) <> coalesce(max(edition), 0)
    or (count(receipts.number) > 0) <> (points <> 0 and at >= numbered_from)
union all
select 'receipt ' || receipts.number, 'is of another account than its payment'
from receipts
join sale_entries on sale_entries.id = entry_id
join payments on payments.id = payment_id
where payments.account_id <> receipts.account_id
limit $1
