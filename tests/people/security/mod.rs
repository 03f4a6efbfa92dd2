//! Attacks that no other test tries: each is a sentence about what stops it. docs/ASVS.md names
//! them, and the tests that stand beside the feature that they attack.

mod accounts;
mod headers;
mod log;
mod requests;
