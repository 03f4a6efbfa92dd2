//! What keys may do: the documents say what the handlers do.

use std::fmt::Write;

use crate::support::api_document::DOCUMENT;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/EVENTS.md");
const HEAD: &str = "| scope | opens | what it does |\n|---|---|---|\n";
/// Word of the page of keys for each operation that changes something.
const TOLD: &[(&str, &str)] = &[
    ("POST /admin/programs", "Add"),
    ("POST /admin/programs/{id}", "change"),
    ("POST /admin/programs/{id}/cancellation", "cancel shows"),
    ("POST /admin/programs/{id}/poster", "posters"),
    ("POST /admin/programs/{id}/poster/removal", "posters"),
    ("POST /admin/programs/{id}/publication", "publish"),
    ("POST /admin/programs/{id}/schedules", "add and move performances"),
    ("POST /admin/schedules/{id}", "move performances"),
];

/// Lists each operation that takes keys, with its scope and its summary, by scope.
fn rights() -> Vec<(String, String, String)> {
    let mut rights = Vec::new();
    for (path, operations) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let ways = operation["security"].as_array().unwrap();
            let keys = ways.iter().filter_map(|way| way["api_key"].as_array());
            for scope in keys.flatten() {
                let operated = format!("{} {path}", method.to_uppercase());
                let summary = operation["summary"].as_str().unwrap().to_owned();
                rights.push((scope.as_str().unwrap().to_owned(), operated, summary));
            }
        }
    }
    rights.sort();
    rights
}

/// Returns the scopes with which a key opens a path, as a text; empty if none does.
pub(super) fn scopes_of(pattern: &str) -> String {
    let own = rights()
        .into_iter()
        .filter(|(_, operation, _)| operation.ends_with(&format!(" {pattern}")));
    let mut scopes: Vec<String> = own.map(|(scope, ..)| format!("`{scope}`")).collect();
    scopes.dedup();
    scopes.join(" or ")
}

#[test]
fn the_table_of_what_a_key_may_do_is_that_of_the_handlers() {
    let mut table = HEAD.to_owned();
    for (scope, operation, summary) in rights() {
        writeln!(table, "| `{scope}` | `{operation}` | {summary} |").unwrap();
    }
    let text = std::fs::read_to_string(FILE).unwrap();
    let from = text.find(HEAD).expect("docs/EVENTS.md has the table");
    let to = from + text[from..].find("\n\n").unwrap() + 1;
    if std::env::var_os("UPDATE_ROUTES").is_some() {
        std::fs::write(FILE, format!("{}{table}{}", &text[..from], &text[to..])).unwrap();
        return;
    }
    assert!(text[from..to] == table, "docs/EVENTS.md is old: run with UPDATE_ROUTES=1\n{table}");
}

#[test]
fn the_page_of_keys_names_everything_that_a_key_may_change() {
    let texts =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/locales/en.ftl")).unwrap();
    let told = texts.lines().find(|line| line.starts_with("admin-key-programs-write = ")).unwrap();
    let changes: Vec<String> = rights()
        .into_iter()
        .filter(|(_, operation, _)| !operation.starts_with("GET "))
        .map(|(scope, operation, _)| {
            assert_eq!(scope, "programs:write", "{operation}");
            operation
        })
        .collect();
    let known: Vec<&str> = TOLD.iter().map(|(operation, _)| *operation).collect();
    assert_eq!(changes, known, "the page of keys has a word for each");
    for (operation, word) in TOLD {
        assert!(told.contains(word), "{operation}: {told}");
    }
}
