//! Texts that people read and type: languages, what is said in several of them, times, prices, descriptions, e-mail addresses, the charsets and cells of files and the form in which all are kept. Depends on neither HTTP nor a feature.
//!
//! A **locale** is a language of the product, a **phrase** a text with its arguments.

pub mod cell;
pub mod charset;
pub mod email;
pub mod i18n;
pub mod markdown;
pub mod prices;
pub mod times;
pub mod translated;
pub mod typed;
