//! The HTTP kit: extractors, responses, middleware and errors that every page uses and no feature
//! owns.
//!
//! A request passes the [`middleware`] and reaches the handler that its [`path`] has in the URL table.
//!
//! A handler takes a [`page::View`] (or `accounts::CurrentAccount`, which carries one), parses a
//! [`form::Body`] into a command, and answers with [`page::View::done`] or a [`error::PageError`]. Where a form
//! was sent, [`View::answer`](page::View::answer) shows its page again with what was refused ([`form::FormRefusal`]).
//!
//! What is sent besides pages, and what is uploaded, is in [`files`], the drawings of programs in [`poster`]. What of refusals is counted is in
//! [`refusals`]. What the kit
//! reads of a request whatever its path is, [`client`], [`cookies`] and [`language`] have, and single files such as
//! [`negotiation`] and [`request_key`].
//!
//! Nouns: a **view** is a request's language, format and account; a **form** is a struct of
//! **fields** as they were sent; a **mistake** is a refused field with the locale key of the
//! reason; a **problem** is the answer to an error; a **flash** is a message for the page after a
//! redirect.
//!
//! # Invariants
//!
//! - A read is answered within [`READ_MAX`], a change within the bound of its route; the
//!   answer to a change that takes longer says that the outcome is unknown.
//! - A body is received whole, within a size and a time, before its handler runs; one with a field
//!   that the handler does not know is refused ([`form`]).
//! - An error page and a problem document come from the same [`error::HttpError`]; their texts come
//!   from `locales/`.
//! - No redirect built from request data leaves this site ([`local_path::LocalPath`]).
//!
//! # Concurrency
//!
//! A change runs in a task of its own, so a client that disconnects cannot cancel it halfway.
//! Concurrent requests wait here only for upload permits ([`files::upload`]): a request that gets none in
//! time is refused with a `Retry-After`.

pub mod bearer;
pub mod body;
pub mod client;
pub mod cookies;
pub mod error;
pub mod event_stream;
pub mod files;
pub mod flash;
pub mod form;
pub mod health;
pub mod language;
pub mod limits;
pub mod local_path;
pub mod metrics;
pub mod middleware;
pub mod negotiation;
pub mod page;
pub mod path;
pub mod poster;
pub mod refusals;
pub mod request_key;

use std::time::Duration;

use crate::infra::postgres::LEFT_AFTER_SLOW_READ;

/// Upper bound of a read, from the request's head to its answer.
pub const READ_MAX: Duration = Duration::from_millis(1_900);
const _: () = assert!(READ_MAX.as_millis() < LEFT_AFTER_SLOW_READ.as_millis());
