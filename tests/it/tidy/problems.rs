//! Every problem of the features stands in the table of codes, and the table has no other.

use std::collections::BTreeSet;

use super::source::below;
use crate::support::api_document::DOCUMENT;

#[test]
fn the_table_of_codes_has_every_problem_with_its_status_and_no_other() {
    let mut made = BTreeSet::new();
    for source in below("src", &[".rs"]) {
        for part in source.text.split("Problem::new(").skip(1) {
            let Some((status, rest)) = part.split_once(", \"") else { continue };
            let Ok(status) = status.parse::<u64>() else { continue };
            let (code, _) = rest.split_once('"').unwrap();
            made.insert((code.to_owned(), status));
        }
    }
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    let problems = schemas.iter().filter(|(name, _)| name.starts_with("Problem."));
    let told: BTreeSet<(String, u64)> = problems
        .map(|(_, schema)| {
            let members = &schema["properties"];
            let code = members["code"]["const"].as_str().unwrap().to_owned();
            (code, members["status"]["const"].as_u64().unwrap())
        })
        .collect();
    assert!(made.len() > 150, "only {} problems were found", made.len());
    assert_eq!(told, made, "src/routes/codes.rs and the errors differ");
}

#[test]
fn every_problem_belongs_to_an_operation() {
    let responses = DOCUMENT["components"]["responses"].to_string();
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    let problems = schemas.keys().filter(|name| name.starts_with("Problem."));
    let lonely: Vec<&String> = problems
        .filter(|name| !responses.contains(&format!("\"#/components/schemas/{name}\"")))
        .filter(|name| *name != "Problem.method-not-allowed")
        .collect();
    assert!(lonely.is_empty(), "no operation answers {lonely:?}");
}
