//! The checks of `verify`: each file is in the table once, each invariant is in the manual, and a
//! figure that the product has too is the same in both.

use super::{
    expect_none,
    source::{below, read},
};

const FOLDER: &str = "src/verify/checks";

#[test]
fn every_check_is_in_the_table_once_and_says_what_it_lists() {
    let table = read(&format!("{FOLDER}/mod.rs")).text;
    let mut mistakes = Vec::new();
    for check in below(FOLDER, &[".sql"]) {
        if table.matches(&format!("\"{}\"", check.path)).count() != 1 {
            mistakes.push(format!("{} is not in the table once", check.path));
        }
        if !check.text.starts_with("-- Lists ") {
            mistakes.push(format!("{} does not say which rows it lists", check.path));
        }
        if !check.text.ends_with("\nlimit $1\n") || check.text.contains("$2") {
            mistakes.push(format!("{} has other parameters than its row limit", check.path));
        }
    }
    expect_none(&mistakes, "A check is a file with a header, a limit and a row of the table:");
}

#[test]
fn the_manual_has_every_invariant_that_verify_checks_once() {
    let table = read(&format!("{FOLDER}/mod.rs")).text;
    let checked: Vec<&str> = table.lines().filter_map(code).collect();
    let manual = read("docs/INVARIANTS.md").text;
    let said: Vec<&str> = manual
        .lines()
        .filter(|row| row.ends_with("| yes |"))
        .filter_map(|row| row.split('|').nth(1).map(str::trim))
        .collect();
    assert!(checked.len() >= 25, "only {} invariants were found", checked.len());
    assert_eq!(said, checked, "each invariant has one row, in the order of the table of checks");
}

/// The code with which a row of the table begins, such as `W1`.
fn code(line: &str) -> Option<&str> {
    let word = line.strip_prefix("    ")?.split(' ').next()?;
    let mut letters = word.chars();
    let is_code = word.len() == 2
        && letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
        && letters.next().is_some_and(|digit| digit.is_ascii_digit());
    is_code.then_some(word)
}

/// A line of a check that ends in `-- NAME in src/…` repeats the value of NAME there.
#[test]
fn a_figure_in_a_check_is_that_of_the_product() {
    let (mut mistakes, mut n_compared) = (Vec::new(), 0);
    for check in below(FOLDER, &[".sql"]) {
        for (sql, place) in check.text.lines().filter_map(|line| line.split_once(" -- ")) {
            let Some((name, path)) = place.split_once(" in src/") else { continue };
            n_compared += 1;
            let product = read(&format!("src/{path}")).text;
            let value = value_of(&product, name);
            if !value.is_some_and(|value| words(sql).any(|word| word == value)) {
                mistakes.push(format!("{}: `{}`, but {name} is {value:?}", check.path, sql.trim()));
            }
        }
    }
    assert!(n_compared >= 4, "only {n_compared} figures were compared");
    expect_none(&mistakes, "A check disagrees with the product:");
}

/// The last word of the line that gives `name` its value: a constant, or a pair of texts.
fn value_of<'a>(product: &'a str, name: &str) -> Option<&'a str> {
    let starts = [format!("const {name}: "), format!("(\"{name}\", ")];
    let line = product.lines().find(|line| starts.iter().any(|start| line.contains(start)))?;
    words(line).last()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
