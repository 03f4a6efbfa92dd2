-- Names in one form: Unicode writes `객석` as two letters or as six, and a plan, a code or a search in the other
-- form named another section. The program composes (NFC) what is typed since; this composes what was typed before.
--
-- A row is left as it is where its composed name is another row's of the same plan, performance or list: two
-- chairs, or two zones, of one name are not one, and only people know which of them is meant. `stagedoor verify`
-- names both (N1) until one of them is called otherwise. The log of acts, events and mails keep what they said.
--
-- An instance of the version before reads composed names like any others, and may still write other ones, which
-- `verify` names too. So no constraint refuses them yet.

-- Form in which a typed text is kept: composed, without blanks around it. `compose` in src/text/typed.rs.
create function composed(text) returns text language sql immutable strict parallel safe as $$
    select btrim(normalize($1, nfc), U&' \0009\000A\000D\00A0\3000')
$$;

do $$
declare
    kept record;
    row_at tid;
    has_others boolean;
begin
    for kept in
        -- The guard of a table refuses other terms than those that people were shown; a name in another form
        -- is shown as before.
        select * from (values
            ('accounts', 'name', null),
            ('programs', 'title', null),
            ('programs', 'description', null),
            ('venues', 'name', null),
            ('venues', 'address', null),
            ('seats', 'section', null),
            ('seats', 'row_label', null),
            ('seats', 'price_category', null),
            ('price_changes', 'section', null),
            ('category_price_changes', 'category', null),
            ('zones', 'name', null),
            ('price_types', 'name', 'price_types_never_change'),
            ('price_types', 'note', 'price_types_never_change'),
            ('price_type_zones', 'name', null),
            ('sale_codes', 'section', 'sale_codes_kept'),
            ('wishes', 'section', 'wishes_end_once'),
            ('webhook_endpoints', 'description', null),
            ('api_keys', 'name', null),
            ('office_settings', 'name', null),
            ('office_settings', 'phone', null),
            ('office_settings', 'imprint', null),
            ('office_settings', 'terms', null),
            ('office_settings', 'privacy', null)
        ) as typed (of_table, of_column, guard)
    loop
        execute format('select exists (select from %1$I where %2$I <> composed(%2$I))',
            kept.of_table, kept.of_column) into has_others;
        continue when not has_others;
        if kept.guard is not null then
            execute format('alter table %I disable trigger %I', kept.of_table, kept.guard);
        end if;
        for row_at in
            execute format('select ctid from %1$I where %2$I <> composed(%2$I) for update',
                kept.of_table, kept.of_column)
        loop
            begin
                execute format('update %1$I set %2$I = composed(%2$I) where ctid = $1',
                    kept.of_table, kept.of_column) using row_at;
            exception when integrity_constraint_violation then
                -- Another row has the name, or the account is deleted.
                null;
            end;
        end loop;
        if kept.guard is not null then
            execute format('alter table %I enable trigger %I', kept.of_table, kept.guard);
        end if;
    end loop;

    -- Sections that a price type is for, a list of names.
    if exists (
        select from price_types, unnest(sections) as listed (section) where section <> composed(section)
    ) then
        alter table price_types disable trigger price_types_never_change;
        update price_types
        set sections = array(
            select composed(section) from unnest(sections) with ordinality as listed (section, place)
            order by place)
        where exists (
            select from unnest(sections) as listed (section) where section <> composed(section));
        alter table price_types enable trigger price_types_never_change;
    end if;
end
$$;
