//! The checkout that is tested, and its program.

use std::path::{Path, PathBuf};

/// Root of the checkout.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Returns the path of the program. Cargo builds it for the tests of its package, and puts it beside the
/// folder of theirs; only they, and no library, are told at compile time where that is.
pub(crate) fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.parent().and_then(Path::parent).unwrap().join("stagedoor")
}
