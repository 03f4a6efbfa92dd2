//! The pages for newcomers and operators name files, types, commands and words that exist.

use std::collections::BTreeSet;

use super::{
    expect_none,
    source::{Source, below, read, root},
};

/// Pages at the root that describe the program as it is.
const ROOT_PAGES: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];
/// Words that stand for something else in a path.
const PLACEHOLDERS: [&str; 2] = ["TARGET", "VERSION"];

fn pages() -> Vec<Source> {
    let roots = ROOT_PAGES.iter().map(|path| read(path));
    roots.chain(below("docs", &[".md"])).collect()
}

/// Returns what stands in backticks within one line, with the line's number.
fn quoted(page: &Source) -> impl Iterator<Item = (usize, &str)> {
    page.text.lines().enumerate().flat_map(|(idx, line)| {
        line.split('`').skip(1).step_by(2).map(move |quoted| (idx + 1, quoted))
    })
}

/// Whether the text is a path below the checkout's root, such as `src/infra/postgres/`.
fn is_path(text: &str) -> bool {
    const FOLDERS: [&str; 8] =
        ["src", "tests", "docs", "migrations", "templates", "static", "scripts", "bench"];
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./_-".contains(&byte));
    let is_below = FOLDERS.iter().any(|folder| text.starts_with(&format!("{folder}/")));
    is_plain && is_below && !PLACEHOLDERS.iter().any(|word| text.contains(word))
}

#[test]
fn every_path_on_a_page_exists() {
    let (mut mistakes, mut n_paths) = (Vec::new(), 0);
    for page in pages() {
        for (number, text) in quoted(&page).filter(|(_, text)| is_path(text)) {
            n_paths += 1;
            let paths = [text.to_owned(), format!("{text}.rs")];
            if !paths.iter().any(|path| root().join(path).exists()) {
                mistakes.push(format!("{}:{number}: {text}", page.path));
            }
        }
    }
    assert!(n_paths > 60, "only {n_paths} paths were found");
    expect_none(&mistakes, "There is no such file or folder:");
}

/// Whether the text is the name of a type, such as `HoldRequest`.
fn is_type(text: &str) -> bool {
    let n_capitals = text.bytes().filter(u8::is_ascii_uppercase).count();
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && (2..text.len()).contains(&n_capitals)
}

#[test]
fn every_type_of_the_architecture_exists() {
    let sources = below("src", &[".rs"]);
    let words: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.text.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect();
    let (mut mistakes, mut n_types) = (Vec::new(), 0);
    for page in [read("ARCHITECTURE.md"), read("CONTRIBUTING.md"), read("docs/WORDS.md")] {
        for (number, text) in quoted(&page).filter(|(_, text)| is_type(text)) {
            n_types += 1;
            if !words.contains(text) {
                mistakes.push(format!("{}:{number}: {text}", page.path));
            }
        }
    }
    assert!(n_types > 15, "only {n_types} types were found");
    expect_none(&mistakes, "There is no such type:");
}

#[test]
fn every_command_of_make_on_a_page_is_a_target() {
    let makefile = read("Makefile").text;
    let targets: BTreeSet<&str> = makefile
        .lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#']))
        .filter_map(|line| line.split_once(": ").map(|(target, _)| target))
        .collect();
    let mut mistakes = Vec::new();
    for page in pages() {
        for (number, line) in (1..).zip(page.text.lines()) {
            let quoted = line.split('`').skip(1).step_by(2);
            let code = line.strip_prefix("    ").into_iter().chain(quoted);
            for command in code.filter_map(|code| code.trim().split_once("make ")) {
                let is_command = command.0.is_empty() || command.0.ends_with("… ");
                let target = command.1.split(' ').next().unwrap();
                if is_command && !targets.contains(target) {
                    mistakes.push(format!("{}:{number}: make {target}", page.path));
                }
            }
        }
    }
    expect_none(&mistakes, "The Makefile has no such target:");
}

#[test]
fn the_page_of_events_lists_every_kind() {
    let code = read("src/events/model.rs").text;
    let kinds: Vec<&str> = code
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#[strum(serialize = \""))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let page = read("docs/EVENTS.md").text;
    let rows = page.lines().skip_while(|line| !line.starts_with("| kind |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let said: Vec<&str> =
        rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)).collect();
    assert!(kinds.len() > 15, "only {} kinds were found", kinds.len());
    assert_eq!(said, kinds, "docs/EVENTS.md and src/events/model.rs differ");
}
