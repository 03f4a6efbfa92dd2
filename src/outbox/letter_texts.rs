//! Texts of letters that the office writes, in the languages that it has them in.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::i18n::Locale;

/// Subject and words of a letter in one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LetterText {
    /// Subject, on one line.
    pub subject: String,
    /// Words, as plain text; an empty line begins a paragraph.
    pub words: String,
}

/// Texts of a letter by the tags of their languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct LetterTexts(pub BTreeMap<String, LetterText>);

impl LetterTexts {
    /// Returns the text in `locale`, or else in the first language; `None` if there is none.
    pub fn in_language(&self, locale: Locale) -> Option<&LetterText> {
        self.0.get(locale.tag()).or_else(|| self.0.values().next())
    }
}
