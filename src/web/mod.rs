//! The HTTP kit: what every page needs and no feature owns.
//!
//! A request passes, from outside in: [`headers`] (request id, security headers),
//! [`error`] (a failure becomes a page or a problem document), [`encoding`] (compressed
//! bodies are refused), [`csrf`] (cross-site writes are refused), [`deadline`] (no request hangs, and a change outlives the
//! browser that asked for it), then the handler.
//!
//! A handler takes a [`page::View`] (or `accounts::CurrentAccount`, which carries
//! one), parses a [`form::Body`] into a command, and answers with [`page::View::done`]
//! or a [`error::PageError`].

pub mod assets;
pub mod bearer;
mod body;
pub mod client;
pub mod csrf;
pub mod deadline;
pub mod encoding;
pub mod error;
pub mod fallback;
pub mod flash;
pub mod form;
pub mod headers;
pub mod health;
pub mod language;
pub mod limits;
pub mod local_path;
pub mod local_time;
pub mod measure;
pub mod metrics;
pub mod negotiation;
pub mod page;
pub mod pass_cookies;
pub mod path;
pub mod request_key;
pub mod upload;
