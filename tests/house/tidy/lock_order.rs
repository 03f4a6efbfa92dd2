//! The order in which rows are locked, as ARCHITECTURE.md states it, and the statements that lock.

use std::collections::BTreeSet;

use super::{
    expect_none,
    seat_locks::talks,
    source::{below, read},
};

/// Folders that fill an office without visitors, or take a rehearsal's own rows away.
const ALONE: [&str; 2] = ["src/demo/", "src/rehearsal/"];
const LOCKS: [&str; 4] = ["for no key update", "for update", "for share", "for key share"];

/// Returns the part of ARCHITECTURE.md about row locks.
fn section() -> String {
    let text = read("ARCHITECTURE.md").text;
    let (_, rest) = text.split_once("Rows are locked in one order").unwrap();
    rest.split("A statement that waits for a lock").next().unwrap().to_owned()
}

/// Splits a written order, such as `a < b, c`, into its groups.
fn groups(order: &str) -> Vec<Vec<String>> {
    let group = |group: &str| group.split(',').map(|table| table.trim().to_owned()).collect();
    order.split('<').map(group).collect()
}

/// Returns the order of ARCHITECTURE.md.
fn order() -> Vec<Vec<String>> {
    let section = section();
    let lines = section.lines().filter_map(|line| line.strip_prefix("> "));
    groups(&lines.collect::<Vec<_>>().join(" "))
}

fn tables() -> BTreeSet<String> {
    let migrations = below("migrations", &[".sql"]);
    let created = migrations.iter().flat_map(|file| file.text.split("create table ").skip(1));
    created.map(|rest| words(rest).next().unwrap().to_owned()).collect()
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns the end of `sql` without what stands in brackets, back to a bracket that is still open.
fn own_level(sql: &str) -> String {
    let mut depth = 0;
    let letters = sql.chars().rev().map_while(|letter| {
        let was_inside = depth > 0;
        depth += i32::from(letter == ')') - i32::from(letter == '(');
        (depth >= 0).then_some(if was_inside || depth > 0 { ' ' } else { letter })
    });
    letters.collect::<Vec<char>>().into_iter().rev().collect()
}

/// Returns the tables of whose rows a statement locks some.
fn locked(sql: &str, tables: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for lock in LOCKS {
        for (at, _) in sql.match_indices(lock) {
            let rest = &sql[at + lock.len()..];
            let alias = rest.strip_prefix(" of ").and_then(|rest| words(rest).next());
            let own = own_level(&sql[..at]);
            let before: Vec<&str> = words(&own).collect();
            let named = before.windows(3).rev().find(|three| {
                ["from", "join"].contains(&three[0])
                    && tables.contains(three[1])
                    && alias.is_none_or(|alias| three[1..].contains(&alias))
            });
            found.extend(named.map(|three| three[1].to_owned()));
        }
    }
    found
}

#[test]
fn every_table_whose_rows_are_locked_has_its_place_in_the_order() {
    let (section, tables) = (section(), tables());
    let said: BTreeSet<&str> = words(&section).collect();
    let (mut mistakes, mut all) = (Vec::new(), BTreeSet::new());
    for source in below("src", &[".rs"]) {
        if ALONE.iter().any(|folder| source.path.starts_with(folder)) {
            continue;
        }
        for talk in talks(&source.text) {
            for table in locked(&talk.sql, &tables) {
                if !said.contains(table.as_str()) {
                    mistakes.push(format!("{}: {table}", source.path));
                }
                all.insert(table);
            }
        }
    }
    for (function, table) in functions_and_locks(&tables) {
        if !said.contains(table.as_str()) {
            mistakes.push(format!("{function}: {table}"));
        }
        all.insert(table);
    }
    assert!(all.len() > 30, "only {} tables were found", all.len());
    expect_none(&mistakes, "ARCHITECTURE.md does not say when these rows are locked:");
    let order: Vec<String> = order().into_iter().flatten().collect();
    let unknown = order.iter().filter(|table| !tables.contains(*table));
    expect_none(&unknown.cloned().collect::<Vec<_>>(), "The order names what is no table:");
    let once: BTreeSet<&String> = order.iter().collect();
    assert_eq!(once.len(), order.len(), "a table stands twice in the order");
}

/// The statements of the functions of the database that are no triggers, each with the name of its
/// function.
pub(super) fn statements_of_functions() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for migration in below("migrations", &[".sql"]) {
        for function in migration.text.split("create function ").skip(1) {
            let Some((head, rest)) = function.split_once("language plpgsql as $$") else {
                continue;
            };
            let name = words(head).next().unwrap();
            let body = rest.split("$$").next().unwrap();
            if head.contains("returns trigger") || head.contains("$$") {
                continue;
            }
            for statement in body.split(';') {
                let words: Vec<&str> = statement.split_whitespace().collect();
                found.push((name.to_owned(), words.join(" ")));
            }
        }
    }
    found
}

/// The functions of the database, with the tables whose rows each locks, in the order of its text.
fn functions_and_locks(tables: &BTreeSet<String>) -> Vec<(String, String)> {
    let statements = statements_of_functions().into_iter();
    let locks = statements.flat_map(|(name, sql)| {
        locked(&sql, tables).into_iter().map(move |table| (name.clone(), table))
    });
    locks.collect()
}

#[test]
fn a_function_of_the_database_locks_in_the_order_of_the_architecture() {
    let order = order();
    let rank = |table: &String| order.iter().position(|group| group.contains(table));
    let locks = functions_and_locks(&tables());
    assert!(locks.len() > 3, "only {} locks of functions were found", locks.len());
    for of_one in locks.chunk_by(|left, right| left.0 == right.0) {
        let ranks: Vec<_> = of_one.iter().map(|(_, table)| rank(table)).collect();
        assert!(ranks.is_sorted() && !ranks.contains(&None), "{of_one:?}");
    }
}

/// A payment claims its request key behind its hold, which ARCHITECTURE.md says beside the order.
#[test]
fn an_order_of_locks_in_a_doc_comment_is_that_of_the_architecture() {
    let order = order();
    let rank = |table: &String| order.iter().position(|group| group.contains(table));
    let (mut mistakes, mut n_orders) = (Vec::new(), 0);
    for source in below("src", &[".rs"]).into_iter().filter(|source| source.path != "src/lib.rs") {
        for line in source.text.lines().filter(|line| line.contains(" < ")) {
            let Some(said) = line.strip_prefix("//! `").and_then(|rest| rest.split('`').next())
            else {
                continue;
            };
            n_orders += 1;
            let said = groups(said);
            let others = said.iter().flatten().filter(|table| *table != "idempotency_keys");
            let ranks: Vec<_> = others.map(rank).collect();
            if !ranks.is_sorted() || ranks.contains(&None) {
                mistakes.push(format!("{}: {line}", source.path));
            }
        }
    }
    assert!(n_orders > 0, "no order was found");
    expect_none(&mistakes, "This order of locks differs from ARCHITECTURE.md:");
}

/// The call that locks each table in a payment made alone, in the order of its transaction.
#[test]
fn a_payment_locks_in_the_order_that_its_page_states() {
    const CALLS: [(&str, &str); 5] = [
        ("queue_tokens", "entry_queue::lock_live_token("),
        ("reservations", "reservation::lock_held("),
        ("idempotency_keys", "key.claim("),
        ("shares", "shares::end_open("),
        ("payments", "store::insert_payments("),
    ];
    let page = read("src/payment/mod.rs").text;
    let stated = CALLS.map(|(table, _)| table).join(" < ");
    assert!(page.contains(&stated), "src/payment/mod.rs does not state {stated}");
    let code = read("src/payment/pay.rs").text;
    let (once, lock) = code.split_once("\nasync fn lock(").unwrap();
    let (_, once) = once.split_once("\nasync fn pay_once(").unwrap();
    let run = once.replacen("lock(", lock, 1);
    let places = CALLS.map(|(_, call)| run.find(call).unwrap_or_else(|| panic!("no {call}")));
    assert!(places.is_sorted(), "src/payment/pay.rs locks in another order than {stated}");
}

#[test]
fn a_locked_table_is_read_from_its_statement() {
    let tables = ["seats", "zones", "plans"].map(str::to_owned).into();
    for (sql, expected) in [
        ("select id from seats where id = 1 for no key update", "seats"),
        ("select s.id from seats s join zones z on true for share of z", "zones"),
        (
            "with a as (select id from plans order by id for update), b as (select 1) select",
            "plans",
        ),
        (
            "select (select 1 from some) from seats where x in (select 1 from some) for update",
            "seats",
        ),
    ] {
        assert_eq!(locked(sql, &tables), [expected.to_owned()].into(), "{sql}");
    }
}
