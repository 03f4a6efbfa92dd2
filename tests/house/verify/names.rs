//! Names in several Unicode forms: a migration composes older ones, and `verify` names the rest.

use sqlx::PgPool;
use stagedoor::verify::Invariant::NamesAreComposed;

use super::{HEALTHY, breaks, run, violations};
use crate::support::{read_all, read_one};

/// Part of the migration that composes names.
fn composing() -> String {
    let migration = include_str!("../../../migrations/0057_composed_names.sql");
    migration[migration.find("do $$").unwrap()..].to_owned()
}

broken! {
    a_name_in_another_form: NamesAreComposed, r"update accounts set name = U&'ade\0301' where name = 'ada'";
    a_section_in_another_form: NamesAreComposed, r"update seats set section = U&'Stalle\0301s'";
    a_row_with_a_blank: NamesAreComposed, "update seats set row_label = 'A '";
    a_zone_in_another_form: NamesAreComposed, r"update zones set name = U&'Cafe\0301'";
    a_title_in_another_form: NamesAreComposed, r"update programs set title = U&'Zoe\0308'";
}

/// Names as they were typed before they were composed: a seat and a zone have a name that another has in
/// the other form.
const BEFORE: &str = r"
    update accounts set name = U&'Zoe\0308' where name = 'ada';
    update venues set name = U&' Cafe\0301 ';
    update seats set section = U&'\1100\1162\11a8\1109\1165\11a8' where number > 2;
    insert into seats (venue_id, section, row_label, number, x, y)
    select venue_id, U&'\AC1D\C11D', row_label, number, x, 9 from seats where number = 3;
    update zones set name = U&'Cafe\0301';
    insert into zones (id, schedule_id, name, price, capacity, remaining)
    select gen_random_uuid(), schedule_id, U&'Caf\00e9', 0, 1, 1 from zones;
    insert into price_types (id, series_id, schedule_id, name, percent, sections)
    select gen_random_uuid(), gen_random_uuid(), id, U&'Etudiante\0301', 50, array['A', U&'Cafe\0301']
    from schedules;
    insert into sale_codes (id, program_id, word, percent, section)
    select gen_random_uuid(), id, 'CAFE', 10, U&'Cafe\0301' from programs;
    alter table wishes disable trigger wishes_end_once;
    update wishes set section = U&'Cafe\0301' where status = 'LEFT';
    alter table wishes enable trigger wishes_end_once";

#[sqlx::test]
async fn names_of_before_are_composed_and_those_that_would_collide_are_named(db: PgPool) {
    run(&db, HEALTHY.to_owned()).await;
    run(&db, BEFORE.to_owned()).await;
    run(&db, composing()).await;
    let found = violations(&db).await;
    let said: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 2, "{said:#?}");
    let (other, twin): (i64, i64) = (
        read_one(&db, "select id from seats where number = 3 and y = 0").await,
        read_one(&db, "select id from seats where number = 3 and y = 9").await,
    );
    assert!(said[0].starts_with(&format!("N1 seat {other}: ")), "{said:#?}");
    assert!(said[0].ends_with(&format!("; seat {twin} has the same name")), "{said:#?}");
    assert!(said[1].starts_with("N1 zone ") && said[1].contains("; zone "), "{said:#?}");

    let composed = "
        select name from accounts where email like 'ada%'
        union all select name from venues union all select name from price_types
        union all select sections[2] from price_types union all select section from sale_codes
        union all select section from wishes where section is not null";
    let names: Vec<String> = read_all(&db, composed).await;
    assert_eq!(names, ["Zoë", "Café", "Etudianté", "Café", "Café", "Café"]);
    // What terms are does not change since either.
    let guards = "select count(*) from pg_trigger where tgenabled <> 'O'
        and tgrelid in ('price_types'::regclass, 'sale_codes'::regclass, 'wishes'::regclass)";
    assert_eq!(read_one::<i64>(&db, guards).await, 0);
    run(&db, composing()).await;
    assert_eq!(violations(&db).await.len(), 2, "a second time changes nothing");
}
