-- Refund terms are whole only where each part is of its type: the steps are there, a number is a number and not a text that reads
-- as one, and a time of day is as the program writes it. The constraint is for what writes past the program, so that a row that
-- is accepted can be read.
--
-- Every row that the program wrote before is whole by this as well.

create or replace function are_refund_terms(terms jsonb) returns boolean language sql immutable as $$
    select terms ? 'steps' and jsonb_typeof(terms->'steps') = 'array'
        and not exists (select from jsonb_each(terms) where (key = 'steps') = (jsonb_typeof(value) = 'number'))
        and jsonb_array_length(terms->'steps') <= 6
        and (terms ? 'free_within_hours') = (terms ? 'free_until_days')
        and (not terms ? 'free_within_hours' or (
            (terms->>'free_within_hours')::integer between 1 and 8760
            and (terms->>'free_until_days')::integer between 0 and 365))
        and not exists (
            select from (
                select step, (step->>'percent')::integer as percent, (step->>'fee')::bigint as fee,
                    lag((step->>'percent')::integer) over steps as percent_before,
                    lag((step->>'fee')::bigint) over steps as fee_before
                from jsonb_array_elements(terms->'steps') with ordinality as listed (step, place)
                window steps as (order by place)
            ) s
            where percent is null or percent not between 0 and 100 or percent > percent_before
                or fee is null or fee not between 0 and 1000000000 or fee < fee_before
                or (step ? 'hours') = (step ? 'days') or (step ? 'at' and not step ? 'days')
                or (step->>'hours')::integer not between 0 and 8760
                or (step->>'days')::integer not between 0 and 365
                or not coalesce(step->>'at', '00:00') ~ '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$'
                or exists (select from jsonb_each(step) where (key = 'at') = (jsonb_typeof(value) = 'number')))
$$;
