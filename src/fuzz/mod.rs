//! Fuzz targets: for any bytes from outside no parser panics, answers without a bound, or accepts tampered
//! data.
//!
//! A **target** is a test of [bolero] that states a property of a parser. Its **corpus** is the folder
//! `__fuzz__/fuzz__FILE__TARGET/corpus`, one input a file: inputs as they should be, inputs that once failed,
//! and inputs that a guided run found to reach new code. `make test` gives a target its corpus and [`INPUTS`]
//! random inputs. In a **guided run** (`make fuzz`, and each run of CI) libFuzzer mutates the corpus and goes
//! on from each mutation that reached new code. Failing inputs are written to `crashes` beside the corpus,
//! which is tried like it from then on.

mod logs;
mod plans;
mod requests;
mod signed;
mod texts;

use std::panic::AssertUnwindSafe;

use bolero::{BorrowedInput, ByteSliceGenerator, DefaultEngine, TestTarget};

/// Random inputs that one run of `make test` tries of each target, beside its corpus.
const INPUTS: usize = 2_000;
/// Largest input, in bytes: of a guided run's, what follows is cut off.
const BYTES_MAX: usize = 8_192;

/// Files of the corpus of a target, which is named as in `__fuzz__`.
macro_rules! corpus {
    ($target:literal, [$($file:literal),+]) => {
        [$(include_bytes!(concat!("__fuzz__/fuzz__", $target, "/corpus/", $file)).as_slice()),+]
    };
}
use corpus;

/// Gives a target its inputs; a panic of `property` fails the test.
fn check(
    target: TestTarget<ByteSliceGenerator, DefaultEngine, BorrowedInput>,
    property: impl Fn(&[u8]),
) {
    let property = &AssertUnwindSafe(property);
    target
        .with_iterations(INPUTS)
        .with_max_len(BYTES_MAX)
        .for_each(|bytes: &[u8]| (**property)(bytes));
}

/// Returns the bytes as text, what is no text replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
