-- Lists names that are not stored in the form in which names are typed and compared, composed (NFC) and
-- without blanks around them, so that no search finds them. The sentence names another row that has the name
-- in that form: migration 0057 left such rows, because it joins no two rows.
select kept.kind || ' ' || kept.id as "subject!",
    format('is called %L, which is not composed%s', kept.name,
        coalesce('; ' || kept.kind || ' ' || kept.twin || ' has the same name', '')) as "sentence!"
from (
    select 'account' as kind, id::text, name, name = composed(name) as is_composed, null as twin
    from accounts where deleted_at is null
    union all
    select 'program', id::text, title, title = composed(title), null from programs
    union all
    select 'venue', id::text, name, name = composed(name), null from venues
    union all
    select 'seat', s.id::text, concat_ws(', ', s.section, s.row_label, s.number, s.price_category),
        (s.section, s.row_label, coalesce(s.price_category, ''))
            = (composed(s.section), composed(s.row_label), coalesce(composed(s.price_category), '')),
        (select min(other.id)::text from seats other
         where other.venue_id = s.venue_id and other.id <> s.id and other.number = s.number
            and composed(other.section) = composed(s.section)
            and composed(other.row_label) = composed(s.row_label))
    from seats s
    union all
    select 'zone', z.id::text, z.name, z.name = composed(z.name),
        (select min(other.id::text) from zones other
         where other.schedule_id = z.schedule_id and other.id <> z.id
            and composed(other.name) = composed(z.name))
    from zones z
    union all
    select 'price type', t.id::text, concat_ws(', ', t.name, t.sections::text),
        t.name = composed(t.name)
            and not exists (
                select from unnest(t.sections) as listed (section) where section <> composed(section)),
        (select min(other.id::text) from price_types other
         where other.schedule_id = t.schedule_id and other.id <> t.id and other.withdrawn_at is null
            and composed(other.name) = composed(t.name))
    from price_types t where t.withdrawn_at is null
    union all
    select 'code', id::text, section, section = composed(section), null
    from sale_codes where withdrawn_at is null and section is not null
    union all
    select 'wish', id::text, section, section = composed(section), null
    from wishes where status = 'WAITING' and section is not null
    union all
    select 'key for programs', id::text, name, name = composed(name), null from api_keys
    union all
    select 'name for receipts of account', account_id::text, buyer, buyer = composed(buyer), null from receipt_names
    union all
    select 'endpoint', id::text, description, description = composed(description), null
    from webhook_endpoints where deleted_at is null
) kept
where not kept.is_composed
limit $1
