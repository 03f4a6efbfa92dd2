-- Lists reservations that were held while their account was not admitted: it passed the queue by. An
-- offer of a waiting list needs no admission, and staff let nobody in to exchange tickets of an account.
select 'reservation ' || id as "subject!",
    format('was held at %s, when account %s was not admitted to program %s',
        created_at, account_id, program_id) as "sentence!"
from reservations
where wish_id is null and not exists (
    select from exchanges
    where exchanges.id = reservations.exchange_id and is_by_staff
) and not exists (
    select from queue_tokens token
    where token.account_id = reservations.account_id
        and token.program_id = reservations.program_id
        and admitted_at <= created_at
        and created_at < least(stay_ends_at, ended_at)
            -- A hold's row comes after the check of its admission: it waits for other rows at most
            -- that long, and the server ends a transaction that stays idle longer.
            + interval '10 seconds'
)
limit $1
