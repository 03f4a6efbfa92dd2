//! Texts that people read and type: languages, times, descriptions, e-mail addresses, the charsets and cells of files and the form in which all are kept. Depends on neither HTTP nor a feature.
//!
//! A **locale** is a language of the product, a **phrase** a text with its arguments.

pub(crate) mod cell;
pub(crate) mod charset;
pub(crate) mod email;
pub(crate) mod i18n;
pub(crate) mod markdown;
pub(crate) mod times;
pub(crate) mod typed;
