//! Which tests `make test` leaves out.

use super::{
    expect_none,
    source::{below, read},
};

/// The only reason for which a test is left out: `make storm` runs those.
const REASON: &str = "#[ignore = \"long: make storm\"]";

#[test]
fn a_test_is_left_out_of_make_test_only_for_make_storm() {
    let mut mistakes = Vec::new();
    for source in ["src", "tests"].iter().flat_map(|folder| below(folder, &[".rs"])) {
        for (number, line) in source.code() {
            let line = line.trim_start();
            if line.starts_with("#[ignore") && line != REASON {
                mistakes.push(format!("{}:{number}: {line}", source.path));
            }
        }
    }
    expect_none(&mistakes, "A test that make test leaves out is one that make storm runs.");
}

#[test]
fn make_storm_and_ci_run_what_make_test_leaves_out() {
    let makefile = read("Makefile").text;
    assert!(makefile.contains("\t@scripts/test --test it -- --ignored $(ARGS)\n"), "{makefile}");
    let ci = read(".ci/run").text;
    assert!(ci.contains("section \"tests\" make test\n"), "{ci}");
    assert!(ci.contains("section \"long tests\" make storm\n"), "{ci}");
}
