//! One word, one meaning: no two public types have one name.

use std::collections::BTreeMap;

use super::{expect_none, source::below};

#[test]
fn a_type_has_a_name_of_its_own() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in below("src", &[".rs"]) {
        for (number, line) in source.code() {
            if let Some(name) = public_type(line) {
                places.entry(name).or_default().push(format!("{}:{number}", source.path));
            }
        }
    }
    assert!(places.len() > 300, "only {} types were found", places.len());
    let mistakes: Vec<String> = places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    expect_none(&mistakes, "A second public type of one name is a second meaning of one word:");
}

/// The name of the type that a line declares for others.
fn public_type(line: &str) -> Option<String> {
    // Tables of refusals indent their enum.
    let line = line.trim_start();
    let rest = ["pub(crate) ", "pub(super) ", "pub "].iter().find_map(|w| line.strip_prefix(w))?;
    let rest = ["struct ", "enum ", "trait ", "type "].iter().find_map(|w| rest.strip_prefix(w))?;
    Some(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}
