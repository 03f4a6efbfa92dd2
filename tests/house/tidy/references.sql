-- The statement with which PostgreSQL looks for the row that a new row refers to, for each foreign
-- key. It keeps these plans too.
select format('select 1 from only %s x where %s for key share of x', key.confrelid::regclass,
    (select string_agg(format('%I operator(pg_catalog.=) $%s', a.attname, position), ' and ' order by position)
     from unnest(key.confkey) with ordinality as part (number, position)
     join pg_attribute a on a.attrelid = key.confrelid and a.attnum = part.number))
from pg_constraint key
where key.contype = 'f'
order by 1
