//! The machine's clock is read in one place.

use super::{expect_none, source::below};

/// Words with which it is read.
const READS: [&str; 6] = [
    "Utc::now",
    "Local::now",
    "SystemTime::now",
    "UNIX_EPOCH.elapsed",
    "now_v7",
    "OffsetDateTime::now",
];
/// Files that may: the clock itself, and the witness, a process without PostgreSQL.
const MAY: [&str; 2] = ["src/infra/clock.rs", "src/witness/cosigning.rs"];

/// What a machine's clock decides is wrong where that clock is.
#[test]
fn nothing_reads_the_clock_of_its_machine_but_the_clock_of_the_office() {
    let (mut mistakes, mut n_reads) = (Vec::new(), 0);
    for source in below("src", &[".rs"]) {
        let is_test = source.path.ends_with("/tests.rs") || source.path.contains("/tests/");
        let mut code = source.code().take_while(|(_, line)| !line.contains("#[cfg(test)]"));
        let found = code.find(|(_, line)| READS.iter().any(|word| line.contains(word)));
        let Some((number, line)) = found.filter(|_| !is_test) else { continue };
        match MAY.contains(&source.path.as_str()) {
            true => n_reads += 1,
            false => mistakes.push(format!("{}:{number}: {}", source.path, line.trim())),
        }
    }
    assert_eq!(n_reads, MAY.len(), "a file that may read it does not");
    expect_none(&mistakes, "Take `App::now` or `ids::new_id`, which go by PostgreSQL's clock:");
}
