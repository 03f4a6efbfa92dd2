//! Texts of letters that the office writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::translated::Translated;

/// Subject and words of a letter in one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LetterText {
    /// Subject, on one line.
    pub subject: String,
    /// Words, as plain text; an empty line begins a paragraph.
    pub words: String,
}

/// Texts of a letter by the tags of their languages.
pub type LetterTexts = Translated<LetterText>;
