//! Migrations stay as they were, and every release can be upgraded from.

use std::fmt::Write;

use stagedoor::infra::postgres::MIGRATIONS;

use super::{expect_none, source::read};
use crate::upgrade;

/// Writes a checksum as `sha384sum` prints it.
pub(super) fn hex(checksum: &[u8]) -> String {
    checksum.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// Migrations of this checkout with their checksums, as `sha384sum *.sql` prints them.
fn migrations() -> Vec<String> {
    let line = |migration: &sqlx::migrate::Migration| {
        let name = migration.description.replace(' ', "_");
        format!("{}  {:04}_{name}.sql", hex(&migration.checksum), migration.version)
    };
    MIGRATIONS.iter().map(line).collect()
}

/// A database that applied the old text refuses to start with the new one, so a migration has one text
/// from its first commit on: `scripts/prepare` adds a line for a new one and changes none.
#[test]
fn a_migration_is_never_edited_and_new_ones_follow() {
    let (kept, present) = (read("migrations/CHECKSUMS"), migrations());
    let kept: Vec<&str> = kept.text.lines().collect();
    let is_kept = |(idx, line): &(usize, &String)| kept.get(*idx) == Some(&line.as_str());
    let name = |line: &str| line.split("  ").last().unwrap().to_owned();
    let changed = present.iter().enumerate().filter(|at| !is_kept(at)).map(|(_, line)| name(line));
    let gone = kept.iter().skip(present.len()).map(|line| name(line));
    expect_none(
        &changed.chain(gone).collect::<Vec<_>>(),
        "These migrations are not those of migrations/CHECKSUMS: restore what has changed, and run \
         scripts/prepare for what is new:",
    );
}

/// Versions that the changelog says were released, sorted as text.
fn released_versions() -> Vec<String> {
    let changelog = read("CHANGELOG.md").text;
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let released = headings.filter(|heading| *heading != "Unreleased");
    let mut versions: Vec<String> = released
        .map(|heading| {
            let (version, date) = heading.split_once(" - ").unwrap_or_default();
            assert!(!version.is_empty() && date.starts_with("20"), "## {heading}");
            version.to_owned()
        })
        .collect();
    versions.sort();
    versions
}

#[test]
fn every_released_version_has_a_dump_to_upgrade_from() {
    let rule = "run scripts/record-release for a version that CHANGELOG.md says was released";
    assert_eq!(upgrade::versions(), released_versions(), "{rule}");
}
