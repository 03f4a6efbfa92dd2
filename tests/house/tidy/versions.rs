//! A version that is raised is compared: one that no writer compares guards nothing.

use super::{expect_none, seat_locks::talks, source::below};

/// Tables whose every writer must name the version that it read.
const TABLES: [&str; 6] = ["reservations", "payments", "zones", "wallets", "transfers", "shares"];

#[test]
fn every_update_of_a_versioned_row_compares_and_raises_its_version() {
    let (mut mistakes, mut n_updates) = (Vec::new(), 0);
    for source in below("src", &[".rs"]) {
        for talk in talks(&source.text) {
            if !TABLES.iter().any(|table| talk.sql.contains(&format!("update {table} "))) {
                continue;
            }
            // The version of a transfer counts its states: a statement that changes none raises none.
            if talk.sql.contains("update transfers ") && !talk.sql.contains("set status = ") {
                continue;
            }
            n_updates += 1;
            let conditions = ["and version = $", "version = locked.version"];
            let is_compared = conditions.iter().any(|condition| talk.sql.contains(condition));
            // One entry of a wallet makes one version.
            let raised = ["version + 1", "version + locked.n"];
            let is_raised = raised.iter().any(|raised| talk.sql.contains(raised));
            if !is_compared || !is_raised {
                mistakes.push(format!("{}: {}", source.path, talk.sql));
            }
        }
    }
    assert!(n_updates >= 9, "only {n_updates} statements that write versioned rows were found");
    expect_none(&mistakes, "An update of a versioned row compares its version and raises it:");
}
