//! The house rules that a compiler does not know: who may use whom, where SQL, HTTP and
//! Redis stand, how large a function, a room and a file may grow, that every text and template has
//! its owner, and that the pages for newcomers say what the code does.

mod asvs;
mod bench;
mod capacity;
mod checks;
mod circles;
mod clocks;
mod described;
mod fonts;
mod functions;
mod javascript;
mod layers;
mod locales;
mod lock_order;
mod long_lists;
mod long_tests;
mod manual;
mod names;
mod pages;
mod plans;
mod problems;
mod releases;
mod seat_locks;
mod sizes;
mod source;
mod subjects;
mod templates;
mod versions;

/// Fails with every mistake at once.
fn expect_none(mistakes: &[String], rule: &str) {
    assert!(mistakes.is_empty(), "{rule}\n{}", mistakes.join("\n"));
}
