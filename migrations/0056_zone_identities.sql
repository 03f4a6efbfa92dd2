-- Zones are meant by their ids: what a name meant when it was said is what it means after the zone got
-- another name.
--
-- Wishes, codes and price types kept the name of a zone. Renamed, it was no longer theirs: a wish waited for
-- nothing, an access code opened nothing, a price type was sold nowhere, and another zone that got the old
-- name had all of it. From here on each name that was said is kept beside the zone that it meant. A section
-- of seats needs no id: the seats that a performance sells never change theirs, and have ids of their own.
--
-- The triggers fill in the ids for the version before, which knows the names alone, and for each zone that
-- is added or renamed later.

alter table wishes
    -- Zone that `section` meant when the wish was made; null: none.
    add column zone_id uuid,
    add constraint wishes_zone_of_schedule
        foreign key (zone_id, schedule_id) references zones (id, schedule_id) not valid,
    add constraint wishes_zone_has_its_name check (zone_id is null or section is not null) not valid;

-- Zones that the section of a code means: at each performance the first one that has its name.
create table sale_code_zones (
    sale_code_id uuid not null references sale_codes,
    schedule_id  uuid not null,
    zone_id      uuid not null,

    constraint sale_code_zones_pkey primary key (sale_code_id, schedule_id),
    constraint sale_code_zones_zone_of_schedule
        foreign key (zone_id, schedule_id) references zones (id, schedule_id) on delete cascade
);
-- The codes that are for a zone.
create index sale_code_zones_zone_id on sale_code_zones (zone_id);

-- Zones that the sections of a price type mean: for each name the first zone that has it.
create table price_type_zones (
    price_type_id uuid not null,
    schedule_id   uuid not null,
    -- As `price_types.sections` says it.
    name          text not null,
    zone_id       uuid not null,

    constraint price_type_zones_pkey primary key (price_type_id, name),
    constraint price_type_zones_type_of_schedule
        foreign key (price_type_id, schedule_id) references price_types (id, schedule_id) on delete cascade,
    constraint price_type_zones_zone_of_schedule
        foreign key (zone_id, schedule_id) references zones (id, schedule_id) on delete cascade
);
create index price_type_zones_zone_id on price_type_zones (zone_id);

-- What was said before this migration, by what the audit log tells of zones that were renamed since.
create function pg_temp.zone_called(schedule uuid, said text, said_at timestamptz) returns uuid
language plpgsql as $$
declare
    renamed record;
    called text := said;
begin
    for renamed in
        select before ->> 'zone' as old_name, after ->> 'zone' as new_name
        from audit_log
        where subject_id = schedule::text and act = 'zone-edited' and acted_at >= said_at
            and before ->> 'zone' <> after ->> 'zone'
        order by acted_at, id
    loop
        if renamed.old_name = called then
            called := renamed.new_name;
        end if;
    end loop;
    return (select id from zones where schedule_id = schedule and name = called);
end
$$;

alter table wishes disable trigger wishes_end_once;
update wishes w
set zone_id = coalesce((
    select i.zone_id from reservations r join reservation_items i on i.reservation_id = r.id
    where r.wish_id = w.id and i.zone_id is not null
    limit 1
), pg_temp.zone_called(w.schedule_id, w.section, w.created_at))
where w.section is not null;
alter table wishes enable trigger wishes_end_once;
alter table wishes validate constraint wishes_zone_of_schedule;
alter table wishes validate constraint wishes_zone_has_its_name;

-- What was sold with a code says best what the code meant.
insert into sale_code_zones (sale_code_id, schedule_id, zone_id)
select distinct on (r.sale_code_id, r.schedule_id) r.sale_code_id, r.schedule_id, i.zone_id
from reservations r
join sale_codes c on c.id = r.sale_code_id and c.section is not null
join reservation_items i on i.reservation_id = r.id and i.zone_id is not null
order by r.sale_code_id, r.schedule_id, r.created_at;
insert into sale_code_zones (sale_code_id, schedule_id, zone_id)
select c.id, z.schedule_id, z.id
from sale_codes c
join schedules d on d.program_id = c.program_id and d.id = coalesce(c.schedule_id, d.id)
join zones z on z.schedule_id = d.id and z.name = c.section
where not exists (select from audit_log where subject_id = d.id::text and act = 'zone-edited')
on conflict do nothing;
insert into sale_code_zones (sale_code_id, schedule_id, zone_id)
select c.id, z.schedule_id, z.id
from sale_codes c
join schedules d on d.program_id = c.program_id and d.id = coalesce(c.schedule_id, d.id)
join zones z on z.id = pg_temp.zone_called(d.id, c.section, c.created_at)
where c.section is not null
    and exists (select from audit_log where subject_id = d.id::text and act = 'zone-edited')
on conflict do nothing;

insert into price_type_zones (price_type_id, schedule_id, name, zone_id)
select t.id, t.schedule_id, said.name, z.id
from price_types t
cross join lateral (select distinct name from unnest(t.sections) as s (name)) said
join zones z on z.id = pg_temp.zone_called(t.schedule_id, said.name, t.created_at);

create function note_zone_of_wish() returns trigger language plpgsql as $$
begin
    new.zone_id := (select id from zones where schedule_id = new.schedule_id and name = new.section);
    return new;
end
$$;
create trigger wishes_mean_zones
    before insert on wishes
    for each row when (new.section is not null and new.zone_id is null) execute function note_zone_of_wish();

create function note_zones_of_codes() returns trigger language plpgsql as $$
begin
    insert into sale_code_zones (sale_code_id, schedule_id, zone_id)
    select c.id, z.schedule_id, z.id
    from made c
    join schedules d on d.program_id = c.program_id and d.id = coalesce(c.schedule_id, d.id)
    join zones z on z.schedule_id = d.id and z.name = c.section;
    return null;
end
$$;
create trigger sale_codes_mean_zones
    after insert on sale_codes
    referencing new table as made
    for each statement execute function note_zones_of_codes();

create function note_zones_of_price_type() returns trigger language plpgsql as $$
begin
    insert into price_type_zones (price_type_id, schedule_id, name, zone_id)
    select new.id, z.schedule_id, z.name, z.id
    from zones z
    where z.schedule_id = new.schedule_id and z.name = any(new.sections);
    return null;
end
$$;
create trigger price_types_mean_zones
    after insert on price_types
    for each row when (new.sections is not null) execute function note_zones_of_price_type();

-- A name that means no zone of the performance yet means the first one that gets it.
create function note_meanings_of_zone() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and new.name = old.name then
        return null;
    end if;
    insert into sale_code_zones (sale_code_id, schedule_id, zone_id)
    select c.id, d.id, new.id
    from schedules d
    join sale_codes c on c.program_id = d.program_id and d.id = coalesce(c.schedule_id, d.id)
    where d.id = new.schedule_id and c.section = new.name and c.withdrawn_at is null
    on conflict do nothing;
    insert into price_type_zones (price_type_id, schedule_id, name, zone_id)
    select t.id, t.schedule_id, new.name, new.id
    from price_types t
    where t.schedule_id = new.schedule_id and new.name = any(t.sections) and t.withdrawn_at is null
    on conflict do nothing;
    return null;
end
$$;
create trigger zones_get_meanings
    after insert or update of name on zones
    for each row execute function note_meanings_of_zone();

-- Returns what the sections and zones that a price type is for are called now; null: it is for all. A name
-- that means a zone is that of the zone, and also that of the section of seats that it names.
create function sections_of_price_type(type_id uuid) returns text[] language sql stable as $$
    select case when t.sections is not null then array(
        select distinct name from (
            select z.name
            from price_type_zones p join zones z on z.id = p.zone_id
            where p.price_type_id = t.id
            union all
            select said.name
            from unnest(t.sections) as said (name)
            where not exists (
                select from price_type_zones p where p.price_type_id = t.id and p.name = said.name
            ) or exists (
                select from schedules d
                join seats s on s.venue_id = d.venue_id and s.section = said.name
                where d.id = t.schedule_id
            )
        ) names
        order by name
    ) end
    from price_types t
    where t.id = type_id
$$;

-- Returns the zones that the section of a code means.
create function zones_of_code(code_id uuid) returns uuid[] language sql stable as $$
    select array(select zone_id from sale_code_zones where sale_code_id = code_id)
$$;
