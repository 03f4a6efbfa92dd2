//! In which order rows of seats, zones and codes are locked: one statement that takes them in another
//! order than the others is a deadlock in waiting.

use super::{
    expect_none,
    lock_order::statements_of_functions,
    source::{Source, below},
};

/// What many orders contend for.
const TABLES: [&str; 3] = ["schedule_seats", "zones", "sale_codes"];
/// Rows that a statement has locked by their ids. Only such a statement makes them, so a function
/// that takes them writes what is locked.
const LOCKED: [(&str, &str); 3] =
    [("LockedSeat", "schedule_seats"), ("PickedSeat", "schedule_seats"), ("LockedZone", "zones")];
/// Fills an office without visitors, and takes a rehearsal's own rows away.
const ALONE: [&str; 2] = ["src/demo/", "src/rehearsal/"];

/// A function that talks to the database.
pub(super) struct Talk<'a> {
    head: &'a str,
    pub(super) sql: String,
}

/// The functions of a file that have a statement, each with all it says.
pub(super) fn talks(text: &str) -> Vec<Talk<'_>> {
    let functions = text.split("async fn ").skip(1);
    let talks = functions.filter_map(|function| {
        let (head, body) = function.split_once("sqlx::query")?;
        let literal = body.split_once('"')?.1;
        let end = if body.contains("r#\"") { "\"#" } else { "\"" };
        let sql = literal.split(end).next()?;
        let words: Vec<&str> = sql.split_whitespace().collect();
        Some(Talk { head, sql: words.join(" ") })
    });
    talks.collect()
}

/// Whether the rows of `table` are locked by their ids, lowest first.
fn locks_in_order(sql: &str, table: &str) -> bool {
    let from = format!("from {table} ");
    let places = sql.split(&from).skip(1);
    places.filter_map(|rest| rest.split(' ').next()).any(|word| {
        sql.contains(&match word {
            "where" => "order by id for no key update".to_owned(),
            alias => format!("order by {alias}.id for no key update of {alias}"),
        })
    })
}

/// Whether only one row is written or locked: the one with that id.
fn is_of_one_row(sql: &str, begin: &str) -> bool {
    let rest = sql.split_once(begin.trim_end()).map_or("", |(_, rest)| rest);
    let condition = rest.split_once(" where ").map_or("", |(_, condition)| condition);
    condition.strip_prefix("id = $").is_some_and(|rest| rest.starts_with(|c: char| c.is_numeric()))
}

/// What is wrong with how a function takes rows of seats and zones.
fn mistakes_of(talk: &Talk<'_>) -> Vec<String> {
    let mut mistakes = Vec::new();
    for table in TABLES {
        let update = format!("update {table} ");
        let overwrites =
            talk.sql.contains(&format!("insert into {table} ")) && talk.sql.contains(" do update ");
        let is_given_locked = LOCKED
            .iter()
            .any(|(rows, of)| *of == table && talk.head.contains(&format!("&[{rows}]")));
        let is_safe = locks_in_order(&talk.sql, table)
            || is_of_one_row(&talk.sql, &update)
            || is_given_locked;
        if (talk.sql.contains(&update) && !is_safe) || overwrites {
            mistakes
                .push(format!("writes rows of {table} that are not locked by id: {}", talk.sql));
        }
        let from = format!("from {table} ");
        let locks = talk.sql.contains(&from) && talk.sql.contains("for no key update");
        if locks && !locks_in_order(&talk.sql, table) && !is_of_one_row(&talk.sql, &from) {
            mistakes.push(format!("locks rows of {table} in no order: {}", talk.sql));
        }
    }
    mistakes
}

#[test]
fn seats_and_zones_are_locked_by_their_ids_before_many_are_written() {
    let sources = below("src", &[".rs"]);
    let is_shared = |source: &&Source| !ALONE.iter().any(|folder| source.path.starts_with(folder));
    let (mut mistakes, mut n_writes) = (Vec::new(), 0);
    for source in sources.iter().filter(is_shared) {
        for talk in talks(&source.text) {
            n_writes +=
                usize::from(TABLES.iter().any(|t| talk.sql.contains(&format!("update {t} "))));
            let found = mistakes_of(&talk).into_iter();
            mistakes.extend(found.map(|mistake| format!("{} {mistake}", source.path)));
            for (rows, table) in LOCKED {
                let makes = talk.head.contains(&format!("Vec<{rows}>"));
                if makes && !locks_in_order(&talk.sql, table) {
                    mistakes.push(format!("{}: {rows} that nobody locked", source.path));
                }
            }
        }
        // Rows that a unit test makes never meet a statement.
        let is_product = !["/tests.rs", "/tests/"].iter().any(|part| source.path.contains(part));
        let code: Vec<&str> = source.code().filter(|_| is_product).map(|(_, line)| line).collect();
        for (rows, _) in LOCKED {
            let is_made = |line: &&&str| {
                let names = ["struct ", "impl "].iter().any(|word| line.contains(word));
                line.contains(&format!("{rows} {{")) && !names
            };
            mistakes
                .extend(code.iter().filter(is_made).map(|line| format!("{}: {line}", source.path)));
        }
    }
    assert!(n_writes >= 8, "only {n_writes} statements that write seats or zones were found");
    for (function, sql) in statements_of_functions() {
        let found = mistakes_of(&Talk { head: "", sql }).into_iter();
        let locks = found.filter(|mistake| mistake.starts_with("locks "));
        mistakes.extend(locks.map(|mistake| format!("{function} {mistake}")));
    }
    expect_none(
        &mistakes,
        "Rows of seats, zones and codes are locked by id, ascending, before many are written.",
    );
}

#[test]
fn a_statement_in_another_order_is_noticed() {
    let text =
        |head: &str, sql: &str| format!("async fn {head} {{ sqlx::query!(r#\" {sql} \"#) }}");
    let naive = [
        "update schedule_seats set price = $2 where schedule_id = $1",
        "update schedule_seats s set price = $2 from seats v where v.id = s.seat_id",
        "update zones set price = $2 where schedule_id = $1",
        "update sale_codes set uses = uses - 1 where id = any($1)",
        "insert into schedule_seats (price) select 1 from seats order by id on conflict do update set price = 2",
        "select id from schedule_seats where id = any($1) for no key update",
        "select c.id from schedule_seats c where id = any($1) order by c.seat_id for no key update of c",
        "with locked as (select id from schedule_seats where id = any($1) order by seat_id for no key update) update schedule_seats s set price = $2 from locked where s.id = locked.id",
    ];
    for sql in naive {
        let text = text("write(ids: &[ScheduleSeatId])", sql);
        assert!(!mistakes_of(&talks(&text)[0]).is_empty(), "{sql}");
    }
    let safe = text("write(seats: &[LockedSeat])", naive[0]);
    assert!(mistakes_of(&talks(&safe)[0]).is_empty());
}
