//! The one form in which texts that people type are kept and compared.
//!
//! Unicode writes one name in several ways: `é` is one letter, or `e` and an accent, and a Korean syllable is
//! one letter or two or three. Keyboards and file systems differ in it. So every text that is typed is
//! composed (NFC) once, where it enters: a field of a body (`web::form`), a word of a query, and an argument of
//! the command line. Passwords are the exception, and e-mail addresses are folded further (`email`).

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizer;
use serde::{Deserialize, Deserializer};

/// Returns `text` in its composed form (NFC); borrowed if it is composed already.
pub fn compose(text: &str) -> Cow<'_, str> {
    ComposingNormalizer::new_nfc().normalize(text)
}

/// Reads a text of a query string, composed and without surrounding whitespace; for
/// `serde(deserialize_with)`.
pub fn deserialize<'de, D: Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    Ok(compose(String::deserialize(text)?.trim()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_forms_of_one_name_are_one_text() {
        let parts = "\u{1100}\u{1162}\u{11a8}\u{1109}\u{1165}\u{11a8}";
        assert_eq!(compose(parts), "객석");
        assert_eq!(compose("Cafe\u{301}"), "Café");
        assert!(matches!(compose("객석 Café １"), Cow::Borrowed("객석 Café １")));
    }
}
