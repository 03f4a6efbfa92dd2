
        with found as (
            (select id from audit_log
             where $1::text is null and $2::text is null and $3::uuid[] is null and id < $4
             order by id desc limit $5)
            union all
            (select id from audit_log
             where act = $1 and $2 is null and $3 is null and id < $4
             order by id desc limit $5)
            union all
            (select id from audit_log
             where subject_id = $2 and ($1 is null or act = $1)
                and ($3 is null or account_id = any($3)) and id < $4
             order by id desc limit $5)
            union all
            (select theirs.id from unnest($3) as whose (id)
             cross join lateral (
                select id from audit_log
                where account_id = whose.id and $2 is null and ($1 is null or act = $1)
                    and id < $4
                order by id desc limit $5
             ) theirs)
        )
        select l.id, l.account_id as "account_id: _", a.name as who, l.act, l.subject_kind,
               (select name from api_keys where id = l.api_key_id) as api_key,
               l.subject_id, s.name as "subject_name?", s.ticket_code as "ticket_code?",
               s.starts_at as "starts_at?", s.time_zone as "time_zone?",
               s.reservation_id as "reservation_id?", l.before, l.after, l.reason, l.acted_at
        from (select id from found order by id desc limit $5) page
        join audit_log l on l.id = page.id
        join accounts a on a.id = l.account_id
        left join lateral (
            select title as name, null::text as ticket_code, null::timestamptz as starts_at,
                null::text as time_zone, null::uuid as reservation_id
            from programs where id = case l.subject_kind when 'program' then l.subject_id::uuid end
            union all
            select name, null, null, null, null from accounts
            where id = case l.subject_kind when 'account' then l.subject_id::uuid end
            union all
            select name, null, null, null, null from venues
            where id = case l.subject_kind when 'venue' then l.subject_id::uuid end
            union all
            select p.title, null, d.starts_at, v.time_zone, null
            from schedules d
            join programs p on p.id = d.program_id
            join venues v on v.id = d.venue_id
            where d.id = case l.subject_kind when 'schedule' then l.subject_id::uuid end
            union all
            select p.title, null, null, null, r.id
            from reservations r
            join programs p on p.id = r.program_id
            where r.id = case l.subject_kind when 'reservation' then l.subject_id::uuid end
            union all
            select p.title, right(t.code, 6), null, null, r.id
            from tickets t
            join reservation_items i on i.id = t.reservation_item_id
            join reservations r on r.id = i.reservation_id
            join programs p on p.id = r.program_id
            where t.id = case l.subject_kind when 'ticket' then l.subject_id::uuid end
            union all
            select recipient, null, null, null, null from outbox
            where id = case l.subject_kind when 'mail' then l.subject_id::uuid end
            union all
            select coalesce(nullif(description, ''), url), null, null, null, null
            from webhook_endpoints
            where id = case l.subject_kind when 'webhook' then l.subject_id::uuid end
            union all
            select name, null, null, null, null from api_keys
            where id = case l.subject_kind when 'api-key' then l.subject_id::uuid end
        ) s on true
        order by l.id desc
        