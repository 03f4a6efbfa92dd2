//! Rows of the tables of refusals: each code has one, an operation that answers it, and its texts.

use std::collections::BTreeSet;

use super::{expect_none, source::below};
use crate::support::api_document::DOCUMENT;

/// Returns the codes of the rows with their statuses, and fails if two rows have one code.
pub(super) fn rows() -> BTreeSet<(String, u64)> {
    let mut rows = BTreeSet::new();
    let mut twice = Vec::new();
    for source in below("src", &[".rs"]) {
        let tables = source.text.split("\nproblems! {").skip(1);
        for row in tables.flat_map(|table| table.split("\n}").next().unwrap().split("= ").skip(1)) {
            let Some((status, rest)) = row.split_once(" \"") else { continue };
            let Ok(status) = status.parse::<u64>() else { continue };
            let (code, _) = rest.split_once('"').unwrap();
            if !rows.insert((code.to_owned(), status)) {
                twice.push(format!("{}: {code}", source.path));
            }
        }
    }
    assert!(rows.len() > 150, "only {} rows were found", rows.len());
    expect_none(&twice, "A second row of a code: answer as the first does, with `=>`:");
    rows
}

#[test]
fn every_row_stands_in_the_api_document_and_nothing_else_does() {
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    let problems = schemas.iter().filter(|(name, _)| name.starts_with("Problem."));
    let documented: BTreeSet<(String, u64)> = problems
        .map(|(_, schema)| {
            let members = &schema["properties"];
            let code = members["code"]["const"].as_str().unwrap().to_owned();
            (code, members["status"]["const"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        documented,
        rows(),
        "a row whose code no operation names in src/routes/, or the reverse"
    );
}

#[test]
fn a_code_has_one_row() {
    let rows = rows();
    let codes: BTreeSet<&String> = rows.iter().map(|(code, _)| code).collect();
    assert_eq!(codes.len(), rows.len(), "a code with two statuses: {rows:?}");
}

#[test]
fn every_code_has_its_texts_in_every_language() {
    let rows = rows();
    let mut missing = Vec::new();
    for file in below("locales", &[".ftl"]) {
        for part in ["title", "detail", "action"] {
            let keys = rows.iter().map(|(code, _)| format!("error-{code}-{part} ="));
            let lacking = keys.filter(|key| !file.text.lines().any(|line| line.starts_with(key)));
            missing.extend(lacking.map(|key| format!("{}: {key}", file.path)));
        }
    }
    expect_none(&missing, "Texts of refusals:");
}

#[test]
fn answers_are_made_by_rows_alone() {
    let elsewhere = below("src", &[".rs"]).into_iter().filter(|source| {
        source.path != "src/web/error/problems.rs" && source.text.contains("Problem::new(")
    });
    let elsewhere: Vec<String> = elsewhere.map(|source| source.path).collect();
    expect_none(&elsewhere, "A refusal is a row of `problems!`:");
}
