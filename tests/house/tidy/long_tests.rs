//! The list of tests that `make test` leaves to `make storm`.

use super::{
    expect_none,
    source::{folders_of_targets, read, root},
};

#[test]
fn every_long_test_exists() {
    let list = read("tests/long.txt").text;
    let names: Vec<&str> = list.lines().collect();
    assert!(names.is_sorted(), "the list of long tests is not sorted");
    let targets = folders_of_targets();
    let is_missing = |name: &&&str| {
        let (module, test) = name.rsplit_once("::").unwrap();
        let module = module.replace("::", "/");
        let paths = targets.iter().map(|target| format!("{target}/{module}"));
        let files = paths.flat_map(|path| [format!("{path}.rs"), format!("{path}/mod.rs")]);
        let mut files = files.filter(|file| root().join(file).exists());
        !files.any(|file| read(&file).text.contains(&format!("fn {test}(")))
    };
    let missing: Vec<String> = names.iter().filter(is_missing).map(ToString::to_string).collect();
    expect_none(&missing, "A name in tests/long.txt is no test, so make storm does not run it:");
}

#[test]
fn make_and_ci_run_what_make_test_leaves_out() {
    let makefile = read("Makefile").text;
    assert!(makefile.contains("\nstorm: ") && makefile.contains("\t@scripts/test --long\n"));
    assert!(
        makefile.contains("\ntest-browser: ") && makefile.contains("\t@scripts/test --browser\n")
    );
    let ci = read(".ci/run").text;
    assert!(ci.contains("section \"tests\" make test\n"), "{ci}");
    assert!(ci.contains("  make storm >\"$log\" 2>&1 &\n"), "{ci}");
    assert!(ci.contains("  wait \"$storm\" || status=$?\n"), "{ci}");
    assert!(
        ci.contains("section \"long tests, and fuzz beside them\" long_tests_and_fuzz\n"),
        "{ci}"
    );
    assert!(ci.contains("section \"browser tests\" make test-browser\n"), "{ci}");
}
