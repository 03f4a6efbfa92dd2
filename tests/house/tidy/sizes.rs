//! How large a function, a room and a file may grow.

use std::{collections::BTreeMap, path::Path};

use super::{
    expect_none,
    source::{Source, below},
};

const FUNCTION_LINES_MAX: usize = 65;
/// A test is read from its first line to its last, and has no other reader.
const TEST_LINES_MAX: usize = 70;
/// Functions with more lines: each is one statement with its columns, or one form with its fields.
const LONG_FUNCTIONS: [(&str, &str); 5] = [
    ("src/accounts/sessions/store.rs", "list"),
    ("src/admin/attendees/store.rs", "list"),
    ("src/admin/programs/pages/form.rs", "read"),
    ("src/wallet/transfers/list/store.rs", "list"),
    ("src/webhooks/store/deliveries.rs", "list"),
];
/// Rust files in one folder of `src`: what a newcomer can tell apart by name.
const ROOM_FILES_MAX: usize = 20;
/// A file is as long as its subject; one that is longer than this has two.
const FILE_LINES_MAX: usize = 500;

#[test]
fn files_have_one_subject() {
    let endings = [".rs", ".lua", ".html", ".css", ".js", ".sql"];
    let mut mistakes = Vec::new();
    for folder in ["src", "tests", "bench", "templates", "static", "migrations"] {
        for source in below(folder, &endings) {
            let lines = source.text.lines().count();
            if lines > FILE_LINES_MAX {
                mistakes.push(format!("{} has {lines} lines of {FILE_LINES_MAX}", source.path));
            }
        }
    }
    expect_none(&mistakes, "These files have grown too long:");
}

#[test]
fn rooms_stay_small() {
    let mut rooms: BTreeMap<String, usize> = BTreeMap::new();
    for source in below("src", &[".rs"]) {
        let folder = Path::new(&source.path).parent().unwrap().to_str().unwrap();
        *rooms.entry(folder.to_owned()).or_default() += 1;
    }
    assert!(rooms.len() > 100, "only {} rooms were found", rooms.len());
    let large = rooms.iter().filter(|(_, n_files)| **n_files > ROOM_FILES_MAX);
    let mistakes: Vec<String> =
        large.map(|(room, n_files)| format!("{room} has {n_files} files")).collect();
    expect_none(&mistakes, "A room has at most 20 files:");
}

#[test]
fn functions_stay_short() {
    let mut mistakes = Vec::new();
    for (folder, lines_max) in [("src", FUNCTION_LINES_MAX), ("tests", TEST_LINES_MAX)] {
        for source in below(folder, &[".rs"]) {
            for (name, lines) in functions(&source) {
                let may = LONG_FUNCTIONS.contains(&(source.path.as_str(), name));
                if lines > if may { TEST_LINES_MAX } else { lines_max } {
                    mistakes.push(format!("{}: {name} has {lines} lines", source.path));
                }
            }
        }
    }
    expect_none(&mistakes, "A function has at most 65 lines, and a test 70:");
}

/// The functions of a formatted file with their lengths: rustfmt closes each with a brace
/// as far in as its first line.
fn functions(source: &Source) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut found = Vec::new();
    for (idx, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let rest = lines[idx..].iter();
        let lines = rest.take_while(|line| **line != end && !line.ends_with("{}")).count() + 1;
        found.push((name, lines));
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (before, after) = line.split_once("fn ")?;
    let is_head = before
        .split_whitespace()
        .all(|word| ["const", "async", "unsafe"].contains(&word) || word.starts_with("pub"))
        || before.starts_with("pub(in ");
    let is_declared = line.ends_with(';');
    (is_head && !is_declared).then(|| after.split(['(', '<']).next().unwrap())
}
