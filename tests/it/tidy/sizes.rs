//! How large a file and a function may grow.

use super::{
    expect_none,
    source::{Source, below},
};

/// About three hundred.
const FILE_LINES_MAX: usize = 320;
const FUNCTION_LINES_MAX: usize = 70;

#[test]
fn files_stay_small() {
    let endings = [".rs", ".lua", ".html", ".css", ".js", ".sql"];
    let mut mistakes = Vec::new();
    for folder in ["src", "tests", "templates", "static", "migrations"] {
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
fn functions_stay_short() {
    let mut mistakes = Vec::new();
    for source in below("src", &[".rs"]).iter().chain(&below("tests", &[".rs"])) {
        for (name, lines) in functions(source) {
            if lines > FUNCTION_LINES_MAX {
                mistakes.push(format!("{}: {name} has {lines} lines", source.path));
            }
        }
    }
    expect_none(&mistakes, "A function has at most 70 lines:");
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
