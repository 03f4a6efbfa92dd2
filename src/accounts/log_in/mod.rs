//! Log-in: the form, the password check, the code of the second factor, and the limits on guessing.
//!
//! A **budget** bounds the attempts of a network, of a network for one account, and of an
//! account. A **guess** is an attempt counted against an account. A **known device** holds a
//! signed cookie and has a failure count of its own.
//!
//! # Invariants
//!
//! * An attempt counts as failed from its beginning until it succeeds or is withdrawn.
//! * No password and no code is compared before every budget allowed the attempt.
//! * No budget depends on whether the account exists.
//!
//! # Concurrency
//!
//! Attempts on one account race in `guess_begin.lua`, which checks and counts atomically; the
//! loser gets the seconds to wait. While Redis is unreachable each instance counts alone.

pub(crate) mod budget;
pub(crate) mod code_check;
pub mod device;
pub mod guesses;
pub mod pages;
pub(crate) mod password_check;
pub mod second_step;
