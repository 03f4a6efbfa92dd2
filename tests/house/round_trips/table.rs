//! The table of what is expected.

use std::fmt::Write;

/// The numbers.
pub(super) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ROUND-TRIPS.md");
/// Name of a request, and its round trips to PostgreSQL, its commands to Redis and its waits in series.
pub(super) type Row = (&'static str, [u64; 3]);

/// What is written of the request `name`; none while it is to be counted anew.
pub(super) fn expected(name: &str) -> Option<[u64; 3]> {
    if is_updating() {
        return None;
    }
    let written = std::fs::read_to_string(FILE).ok()?;
    let line = written.lines().find_map(|line| line.strip_prefix(&format!("| {name} | ")))?;
    let counts = line.strip_suffix(" |")?.split(" | ").map(|count| count.parse().ok());
    counts.collect::<Option<Vec<u64>>>()?.try_into().ok()
}

pub(super) fn is_updating() -> bool {
    std::env::var_os("UPDATE_ROUND_TRIPS").is_some()
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut text = "# Round trips\n\nHow often one request waits for an answer of PostgreSQL, how many commands it \
                    sends to Redis, and how many of these waits follow one another before its answer, counted on \
                    the wire. Where both servers are far away, an answer takes the last number times the way there \
                    and back: what is asked at once is one wait, and what is sent behind the answer is none. What \
                    an instance remembers for a second or more is not asked again.\n\
                    `UPDATE_ROUND_TRIPS=1 make test ARGS=round_trips::` counts anew.\n\n\
                    | Request | PostgreSQL | Redis | In series |\n|---|---|---|---|\n"
        .to_owned();
    for (name, [postgres, redis, series]) in rows {
        writeln!(text, "| {name} | {postgres} | {redis} | {series} |").unwrap();
    }
    text
}
