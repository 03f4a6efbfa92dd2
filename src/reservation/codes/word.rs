//! Words of codes.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Word that people type for a code: 3 to 32 capitals, digits and hyphens. Small letters are read
/// as capitals.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, JsonSchema)]
#[sqlx(transparent)]
#[serde(transparent)]
pub struct CodeWord(String);

/// Error for text that is not the word of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCodeWord;

impl CodeWord {
    const CHARS: std::ops::RangeInclusive<usize> = 3..=32;
    /// Letters that are not mistaken for each other or for digits, 5 bits each.
    const LETTERS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    const GROUPS: usize = 3;
    const GROUP: usize = 4;

    /// Generates a word of 60 random bits.
    pub fn generate() -> Self {
        let mut bits: u64 = rand::random();
        let mut letter = || {
            let idx = usize::try_from(bits % 32).unwrap_or_default();
            bits /= 32;
            Self::LETTERS.get(idx).copied().map_or('2', char::from)
        };
        let mut group = || (0..Self::GROUP).map(|_| letter()).collect::<String>();
        let groups: Vec<String> = (0..Self::GROUPS).map(|_| group()).collect();
        Self(groups.join("-"))
    }
}

impl fmt::Display for CodeWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for CodeWord {
    type Err = NoCodeWord;

    fn from_str(text: &str) -> Result<Self, NoCodeWord> {
        let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
        match Self::CHARS.contains(&text.len()) && text.bytes().all(is_letter) {
            true => Ok(Self(text.to_ascii_uppercase())),
            false => Err(NoCodeWord),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_in_capitals_and_within_its_bounds() {
        assert_eq!("summer-26".parse::<CodeWord>().unwrap().to_string(), "SUMMER-26");
        let long = "A".repeat(33);
        for odd in ["", "ab", &long, "two words", "ÄÖÜ", "ſummer", "tab\tx", "nul\0x", "%00x"] {
            assert!(odd.parse::<CodeWord>().is_err(), "{odd:?}");
        }
    }

    #[test]
    fn a_random_word_is_a_word_and_no_other_is_like_it() {
        let words: std::collections::HashSet<_> = (0..1_000)
            .map(|_| CodeWord::generate().to_string().parse::<CodeWord>().unwrap())
            .collect();
        assert_eq!(words.len(), 1_000);
    }
}
