//! Pages of the audit log.
//!
//! A **row** is a line of the log with its changed fields and the localized name of its act.
//! `crate::audit` reads and writes the log.

pub(crate) mod pages;
