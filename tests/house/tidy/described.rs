//! What other crates see has a sentence. Of fields the compiler asks it in `base` and `kit` alone: elsewhere many say
//! all about themselves by their names.

use super::{expect_none, source::below};

const ITEMS: [&str; 9] = [
    "pub async fn ",
    "pub const ",
    "pub enum ",
    "pub fn ",
    "pub macro ",
    "pub static ",
    "pub struct ",
    "pub trait ",
    "pub type ",
];

/// Whether the lines above an item, up to its attributes, end with a sentence.
fn is_described(above: &[&str]) -> bool {
    let mut is_in_attribute = false;
    for line in above.iter().rev() {
        match *line {
            line if line.starts_with("#[") => is_in_attribute = false,
            ")]" => is_in_attribute = true,
            _ if is_in_attribute => {}
            line => return line.starts_with("///"),
        }
    }
    false
}

#[test]
fn public_items_are_described() {
    let (mut mistakes, mut n_items) = (Vec::new(), 0);
    for source in ["src", "tests/support"].iter().flat_map(|folder| below(folder, &[".rs"])) {
        let lines: Vec<&str> = source.text.lines().map(str::trim_start).collect();
        for (idx, line) in lines.iter().enumerate() {
            if !ITEMS.iter().any(|item| line.starts_with(item)) {
                continue;
            }
            n_items += 1;
            if !is_described(&lines[..idx]) {
                mistakes.push(format!("{}:{}: {line}", source.path, idx + 1));
            }
        }
    }
    assert!(n_items > 1_000, "only {n_items} items were found");
    expect_none(&mistakes, "These public items have no sentence:");
}
