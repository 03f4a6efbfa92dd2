//! Pages of the audit log.
//!
//! A **row** is a line of the log as people read it: a **sentence** about its act, in which names
//! are links, and the fields that the act changed. `crate::audit` reads and writes the log.

pub mod pages;
