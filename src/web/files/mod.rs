//! Files that browsers are sent, and files that they send.
//!
//! The pages' own files are [`assets`]; pictures of the office are kept by their version ([`versioned_file`]), and
//! tables are CSV ([`download`]). An [`upload`] waits for a permit.

pub mod assets;
pub mod download;
pub mod qr_code;
pub mod upload;
pub mod versioned_file;
