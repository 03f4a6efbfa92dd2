//! Fuzz targets: whatever bytes come from outside, no parser panics, answers without a bound, or believes what
//! was changed.
//!
//! A **target** is a test that states a property of a parser. Its **seeds** are inputs as they should be, and inputs that
//! were once mistaken. Most inputs are **mutations** of a seed, because random bytes end at the first comparison.
//! `make test` tries [`INPUTS`] of each target, `make fuzz` goes on for as long as it is told. What fails is shown in
//! its smallest form, which then becomes a seed.

mod logs;
mod plans;
mod requests;
mod signed;
mod texts;

use std::time::{Duration, Instant};

use proptest::{
    collection::vec,
    prelude::any,
    strategy::Strategy,
    test_runner::{Config, TestError, TestRunner},
};

/// Inputs that one run tries of each target.
const INPUTS: u32 = 2_000;
/// Seconds for which each target is repeated; without it a target runs once.
const SECS: &str = "FUZZ_SECS";
/// Largest input, in bytes: what a mutation makes longer is cut off.
const BYTES_MAX: usize = 8_192;
/// Mutations of one seed at most.
const MUTATIONS_MAX: usize = 8;
/// Largest part of a seed that one mutation replaces, in bytes.
const PART_MAX: usize = 64;
/// Bytes that have a meaning in some format.
#[rustfmt::skip]
const WORDS: [&[u8]; 40] = [
    b"", b"\0", b"\n", b"\r\n", b"\n\n", b"\t", b" ", b"\"", b"'", b"<", b">", b"&", b"%00", b"%", b"//", b"\\", b"/",
    b"..", b":", b";", b",", b"=", b"+", b"-", b"[", b"](", b"){", b"*", b"`", b"@", b"\xff", b"\xef\xbb\xbf",
    b"\xe2\x80\xae", b"\xef\xbc\xa0", b"18446744073709551616", b"-9223372036854775808", b"1e309", b"NaN",
    b"javascript:", b"<script>",
];

/// Change of an input: what is done, at which place, to how many bytes, and with what.
type Mutation = (u8, usize, usize, usize);

/// Tries inputs until `property` panics for one, which fails the test.
fn check<S: Into<Vec<u8>>>(seeds: impl IntoIterator<Item = S>, property: impl Fn(&[u8])) {
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(Into::into).collect();
    for seed in &seeds {
        property(seed);
    }
    let secs = std::env::var(SECS).ok().and_then(|secs| secs.parse().ok());
    let ends_at = Instant::now() + Duration::from_secs(secs.unwrap_or_default());
    let config = Config { cases: INPUTS, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new(config);
    loop {
        let tried = runner.run(&inputs(&seeds), |input| {
            property(&input);
            Ok(())
        });
        if let Err(TestError::Fail(reason, input)) = tried {
            panic!("{reason}\nof the input {:?}", input.escape_ascii().to_string());
        }
        if Instant::now() >= ends_at {
            return;
        }
    }
}

/// Returns mutations of seeds, and bytes that are nothing.
fn inputs(seeds: &[Vec<u8>]) -> impl Strategy<Value = Vec<u8>> {
    let mutation = (0..6_u8, any::<usize>(), 0..=PART_MAX, any::<usize>());
    let mutations = vec(mutation, 0..=MUTATIONS_MAX);
    let seeds = seeds.to_vec();
    (0..=seeds.len(), mutations, vec(any::<u8>(), 0..256)).prop_map(
        move |(nth, mutations, noise)| {
            let mut input = seeds.get(nth).cloned().unwrap_or(noise);
            for mutation in &mutations {
                mutate(&mut input, mutation, &seeds);
                input.truncate(BYTES_MAX);
            }
            input
        },
    )
}

fn mutate(input: &mut Vec<u8>, &(kind, at, length, with): &Mutation, seeds: &[Vec<u8>]) {
    let begin = at % (input.len() + 1);
    let end = (begin + length).min(input.len());
    let word = WORDS[with % WORDS.len()];
    match kind {
        0 => {
            if let Some(byte) = input.get_mut(begin) {
                *byte = with.to_le_bytes()[0];
            }
        }
        1 => drop(input.splice(begin..end, word.iter().copied())),
        2 => drop(input.splice(begin..begin, word.iter().copied())),
        3 => drop(input.drain(begin..end)),
        4 => {
            let again = input[begin..end].repeat(with % PART_MAX);
            input.splice(begin..begin, again);
        }
        _ => {
            let other = &seeds[with % seeds.len()];
            input.truncate(begin);
            input.extend(&other[length.min(other.len())..]);
        }
    }
}

/// Returns the bytes as text, what is no text replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
