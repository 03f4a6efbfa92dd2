//! Whose statements the bench has. The server is compared with what 0.1.0 wrote one by one, so
//! these statements stay as they are.

use sha2::{Digest, Sha384};

use super::{
    expect_none,
    releases::hex,
    source::{below, read},
};

/// First lines of the scripts that are no baseline.
const OWN: [&str; 2] = ["-- Set-up: ", "-- The bench's own: "];
/// First line of a baseline.
const BASELINE: &str = "-- Baseline: ";

#[test]
fn a_baseline_of_the_bench_is_never_edited() {
    let baselines = read("bench/sql/BASELINES").text;
    let (mut mistakes, mut n_baselines) = (Vec::new(), 0);
    for script in below("bench/sql", &[".sql"]) {
        if OWN.iter().any(|first| script.text.starts_with(first)) {
            continue;
        }
        if !script.text.starts_with(BASELINE) {
            mistakes.push(format!("{} does not say whose statements it has", script.path));
        }
        n_baselines += 1;
        let name = script.path.rsplit('/').next().unwrap();
        let digest = Sha384::digest(&script.text);
        if !baselines.lines().any(|line| line == format!("{}  {name}", hex(&digest))) {
            mistakes.push(format!("{} has changed", script.path));
        }
    }
    assert_eq!(n_baselines, baselines.lines().count(), "bench/sql/BASELINES names others");
    expect_none(&mistakes, "Each ratio of the bench is to these statements: restore them:");
}

/// Its limit is what a poll asks Redis, which has to be asked as a poll asks it.
#[test]
fn the_bench_names_every_key_of_a_poll() {
    let script = read("src/entry_queue/redis_queue/poll.lua").text;
    let names: Vec<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("-- KEYS[")?.split_whitespace().nth(1))
        .collect();
    let bench = read("bench/bare_queue.rs").text;
    let keys: Vec<&str> = bench
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"{bench-queue}:")?.strip_suffix("\","))
        .collect();
    assert!(names.len() > 1, "{names:?}");
    assert_eq!(keys, names);
}
