//! Words to people in the languages of the office, as typed.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    text::translated::{NO_LANGUAGE, Translated},
    web::form::{Field, Mistakes},
};

/// Bound on characters of words in one language: `schedule_moves_words_length`, `schedule_changes_words_length`.
const CHARS_MAX: usize = 1_000;

/// Words as typed, plain text of 1,000 characters at most in each language.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WordsForm {
    /// Words in no stated language, for readers of all; empty: none.
    words: Field,
    /// Words in English, 1,000 characters at most; empty: not in this language.
    words_en: Field,
    /// Words in Korean.
    words_ko: Field,
    /// Words in Japanese.
    words_ja: Field,
}

impl WordsForm {
    /// Returns the tag, the name and the words of each language.
    pub(crate) fn by_language(&self) -> [(&'static str, &'static str, &Field); 3] {
        [
            ("en", "words_en", &self.words_en),
            ("ko", "words_ko", &self.words_ko),
            ("ja", "words_ja", &self.words_ja),
        ]
    }

    /// Parses the words; `None`, with `reason` beside the field, if a language has too many or not plain text.
    pub(crate) fn parse(
        &self,
        mistakes: &mut Mistakes,
        reason: &'static str,
    ) -> Option<Translated<String>> {
        let mut words = Translated::default();
        let mut is_whole = true;
        let any = (NO_LANGUAGE, "words", &self.words);
        for (tag, name, field) in self.by_language().into_iter().chain([any]) {
            match mistakes.note(name, reason, parse_words(field)) {
                Some(Some(said)) => words.say(tag, said),
                Some(None) => {}
                None => is_whole = false,
            }
        }
        is_whole.then_some(words)
    }

    /// Whether nothing is typed.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.by_language().iter().all(|(.., field)| field.is_empty())
    }
}

/// Parses words to people: `Some(None)` for an empty field, `None` if they are too long or have control
/// characters other than line ends and tabs.
#[expect(clippy::option_option, reason = "nothing typed is an answer, nonsense is none")]
pub(crate) fn parse_words(field: &Field) -> Option<Option<String>> {
    let words = field.text().replace("\r\n", "\n");
    let is_plain = !words.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    let fits = words.chars().count() <= CHARS_MAX;
    (is_plain && fits).then(|| Some(words).filter(|words| !words.is_empty()))
}
