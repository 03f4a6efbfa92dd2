-- Lists transfers whose status is not the last of their history, or whose history is not one of
-- open first, then settled at most once.
with history as (
    select transfer_id, array_agg(status order by version) as statuses,
        array_agg(version order by version) as versions
    from transfer_status_history group by transfer_id
)
select 'transfer ' || id as "subject!",
    format('is %s at version %s, but its history is %s',
        status, version, coalesce(statuses::text, 'missing')) as "sentence!"
from transfers left join history on transfer_id = id
where case when status = 'PENDING'
    then (statuses, versions, version) is distinct from
        (array['PENDING'], array[0::bigint], 0::bigint)
    else (statuses, versions, version) is distinct from
        (array['PENDING', status], array[0::bigint, 1::bigint], 1::bigint) end
limit $1
