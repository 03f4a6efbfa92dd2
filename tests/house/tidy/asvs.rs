//! The evidence that docs/ASVS.md, docs/PAIRS.md and SECURITY.md name exists.

use std::collections::BTreeSet;

use super::{
    expect_none,
    source::{below, read, root},
};

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Shortest name of a test: shorter words in backticks are something else.
const NAME_CHARS_MIN: usize = 16;

#[test]
fn the_evidence_of_every_claim_exists() {
    let sources: Vec<_> =
        ["src", "tests"].iter().flat_map(|folder| below(folder, &[".rs"])).collect();
    let tests: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.text.split("fn ").skip(1))
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name))
        .collect();
    let mut mistakes = Vec::new();
    for page in ["docs/ASVS.md", "docs/PAIRS.md", "SECURITY.md"] {
        let page = read(page);
        for name in quoted(&page.text) {
            let is_name = name.len() >= NAME_CHARS_MIN
                && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            let is_file = name.split_once('.').is_some_and(|(path, ending)| {
                !path.is_empty()
                    && !path.starts_with('/')
                    && ["rs", "md", "js", "toml", "yaml"].contains(&ending)
            });
            if is_name && !tests.contains(name) || is_file && !root().join(name).exists() {
                mistakes.push(format!("{}: {name}", page.path));
            }
        }
    }
    expect_none(&mistakes, "There is no such test or file:");
}

#[test]
fn every_requirement_has_a_row_and_every_met_one_its_evidence() {
    const STATES: [&str; 4] = ["met", "not met", "operator", "n/a"];
    /// Requirements of the levels 1 and 2 without the chapters OAuth and WebRTC, which have a
    /// sentence.
    const ROWS: usize = 217;
    let page = read("docs/ASVS.md");
    let rows: Vec<Vec<&str>> = page
        .text
        .lines()
        .filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit())
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), ROWS);
    let numbers: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(numbers.len(), ROWS, "no number is there twice");
    for row in &rows {
        assert!(row.len() == 5 && STATES.contains(&row[3]) && !row[4].is_empty(), "{row:?}");
    }
    for state in STATES {
        let n = rows.iter().filter(|row| row[3] == state).count();
        assert!(state == "n/a" || page.text.contains(&format!("{n} are")), "{n} rows are {state}");
    }
}
