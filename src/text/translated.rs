//! What is said in several languages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::i18n::Locale;

/// What is said in some languages, by their tags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Translated<T>(BTreeMap<String, T>);

impl<T> Default for Translated<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Translated<T> {
    /// Says `said` in the language with this tag.
    pub fn say(&mut self, tag: &str, said: T) {
        self.0.insert(tag.to_owned(), said);
    }

    /// Returns what is said in `locale`, or else in the first language; `None` if nothing is.
    pub fn in_language(&self, locale: Locale) -> Option<&T> {
        self.0.get(locale.tag()).or_else(|| self.0.values().next())
    }

    /// Returns the tag of the language in which [`in_language`](Self::in_language) answers.
    pub fn tag_for(&self, locale: Locale) -> &str {
        let own = self.0.contains_key(locale.tag()).then(|| locale.tag());
        own.or_else(|| self.0.keys().next().map(String::as_str)).unwrap_or_default()
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lists the tags with what is said, in the order of the tags.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(tag, said)| (tag.as_str(), said))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_without_words_reads_the_first_that_has_some() {
        let mut said = Translated::default();
        assert!(said.is_empty() && said.in_language(Locale::default()).is_none());
        said.say("ko", "잠시만요");
        said.say("ja", "少々お待ちください");
        let read = |tag| {
            let locale = Locale::parse(tag).unwrap();
            (said.tag_for(locale), *said.in_language(locale).unwrap())
        };
        assert_eq!(read("ko"), ("ko", "잠시만요"));
        assert_eq!(read("en"), ("ja", "少々お待ちください"));
    }
}
