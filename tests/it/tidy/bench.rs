//! The bench's SQL says what the stores say, so that the server is compared with its own
//! statements.

use std::collections::BTreeSet;

use super::{
    expect_none,
    plans::query_of,
    source::{Source, below},
};

/// First line of a file that restates the product's statements, with values for the parameters.
const RESTATED: &str = "-- The product's statements: ";
/// First lines of the others. A baseline is what a release wrote one by one, and stays as it is.
const OWN: [&str; 3] = ["-- Set-up: ", "-- The bench's own: ", "-- Baseline: "];
/// What ends a value that stands for a parameter.
const ENDS: [&str; 14] = [
    ",",
    "and",
    "or",
    "as",
    "from",
    "where",
    "when",
    "then",
    "else",
    "group",
    "order",
    "limit",
    "for",
    "returning",
];

/// The statements of a script of pgbench, without those that begin and end a transaction.
fn statements(script: &Source) -> Vec<Vec<String>> {
    let lines = script.text.lines().filter(|line| !line.starts_with(['-', '\\']));
    let ended = lines.map(|line| match line.split_once("\\gset") {
        Some((sql, _)) => format!("{sql};"),
        None => line.to_owned(),
    });
    let sql: Vec<String> = ended.collect();
    sql.join("\n").split(';').map(words).filter(|words| words.len() > 1).collect()
}

/// The words of a statement without its casts, and without the quoted names that only the
/// compiler reads.
fn words(sql: &str) -> Vec<String> {
    let mut words = split(sql).into_iter().peekable();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "::" => {
                words.next();
                if words.next_if_eq(&"[").is_some() {
                    words.next();
                }
            }
            "as" if words.next_if(|name| name.starts_with('"')).is_some() => {}
            _ => kept.push(word.to_owned()),
        }
    }
    kept
}

fn split(sql: &str) -> Vec<&str> {
    let is_sign = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let (mut words, mut rest) = (Vec::new(), sql.trim_start());
    while let Some(first) = rest.chars().next() {
        let end_of_word = |from: usize| rest[from..].find(is_sign).map_or(rest.len(), |n| from + n);
        let length = match first {
            '\'' | '"' => rest[1..].find(first).unwrap() + 2,
            ':' if rest.starts_with("::") => 2,
            ':' | '$' => end_of_word(1),
            _ if is_sign(first) => 1,
            _ => end_of_word(0),
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    words
}

/// Whether a statement of the bench is that of the product: with a value for each parameter, and
/// with names of its own for columns that the script reads.
fn is_restated(product: &[String], bench: &[String]) -> bool {
    let mut ends = BTreeSet::from([0]);
    for word in product {
        ends = ends.iter().flat_map(|at| after(word, bench, *at)).collect();
    }
    ends.contains(&bench.len())
}

/// Where `bench` may go on after the word at `at` of the product's statement.
fn after(word: &str, bench: &[String], at: usize) -> Vec<usize> {
    if word.starts_with('$') {
        return values(bench, at);
    }
    let is = |at: usize, word: &str| bench.get(at).is_some_and(|other| other == word);
    let is_named = is(at, "as") && [",", "from"].contains(&word);
    let at = if is_named { at + 2 } else { at };
    if is(at, word) { vec![at + 1] } else { Vec::new() }
}

/// The ends of the values that may begin at `at`.
fn values(bench: &[String], at: usize) -> Vec<usize> {
    let (mut ends, mut depth) = (Vec::new(), 0);
    for (idx, word) in bench.iter().enumerate().skip(at) {
        match word.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth < 0 || depth == 0 && ENDS.contains(&word.as_str()) {
            break;
        }
        if depth == 0 {
            ends.push(idx + 1);
        }
    }
    ends
}

#[test]
fn the_bench_says_what_the_stores_say() {
    let queries: Vec<Vec<String>> =
        below(".sqlx", &[".json"]).iter().map(|query| words(&query_of(query))).collect();
    let (mut mistakes, mut n_restated) = (Vec::new(), 0);
    for script in below("bench/sql", &[".sql"]) {
        if OWN.iter().any(|first| script.text.starts_with(first)) {
            continue;
        }
        if !script.text.starts_with(RESTATED) {
            mistakes.push(format!("{} does not say whose statements it has", script.path));
        }
        for statement in statements(&script) {
            n_restated += 1;
            if !queries.iter().any(|product| is_restated(product, &statement)) {
                mistakes.push(format!("{}: {}", script.path, statement.join(" ")));
            }
        }
    }
    assert!(n_restated > 12, "only {n_restated} statements were compared");
    expect_none(&mistakes, "The bench has statements that no store has:");
}

#[test]
fn a_statement_that_differs_is_noticed() {
    let product = words(
        "select id as \"id: _\", price from seats where id = any($1::bigint[]) and kind = $2 limit 1",
    );
    let is_same = |sql: &str| is_restated(&product, &words(sql));
    for same in [
        "select id, price from seats where id = any(:ids) and kind = 'a b' limit 1",
        "select id as seat_id, price as cost from seats\nwhere id = any(array[:a, 2]::bigint[]) and kind = :k + 1 limit 1",
    ] {
        assert!(is_same(same), "{same}");
    }
    for drifted in [
        "select id, price, row from seats where id = any(:ids) and kind = 1 limit 1",
        "select id, price from seats where id = any(:ids) and kind = 1 and row = 1 limit 1",
        "select id, price from seats where id = any(:ids) and kind = 1 limit 2",
        "select id, price from seats where id = any(:ids) limit 1",
    ] {
        assert!(!is_same(drifted), "{drifted}");
    }
}
