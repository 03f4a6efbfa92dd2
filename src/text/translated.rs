//! What is said in several languages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;

use super::i18n::Locale;

/// Tag of what is said in no stated language, after the tags of all languages.
pub const NO_LANGUAGE: &str = "und";

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
    /// Returns what is said in one language, that with this tag.
    pub fn of(tag: &str, said: T) -> Self {
        Self(BTreeMap::from([(tag.to_owned(), said)]))
    }

    /// Says `said` in the language with this tag.
    pub fn say(&mut self, tag: &str, said: T) {
        self.0.insert(tag.to_owned(), said);
    }

    /// Returns what is said in `locale`, or else in the first language; `None` if nothing is.
    pub fn in_language(&self, locale: Locale) -> Option<&T> {
        self.0.get(locale.tag()).or_else(|| self.first())
    }

    /// Returns what is said in the first language; `None` if nothing is.
    pub fn first(&self) -> Option<&T> {
        self.0.values().next()
    }

    /// Returns the tag of the language in which [`in_language`](Self::in_language) answers.
    pub fn tag_for(&self, locale: Locale) -> &str {
        let own = self.0.contains_key(locale.tag()).then(|| locale.tag());
        own.or_else(|| self.0.keys().next().map(String::as_str)).unwrap_or_default()
    }

    /// Returns what `locale` reads with the tag of its language; `None` where that is not known.
    pub fn read(&self, locale: Locale) -> Option<(Option<&str>, &T)> {
        let tag = Some(self.tag_for(locale)).filter(|tag| *tag != NO_LANGUAGE);
        Some((tag, self.in_language(locale)?))
    }

    /// Returns it as the column of a row that has none where nothing is said.
    pub fn stored(&self) -> Option<Json<&Self>> {
        (!self.is_empty()).then_some(Json(self))
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

/// Storage of texts that were one text of no stated language, and still are where they are nothing else, so that a
/// version which knows no other reads them.
pub mod or_one_text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{NO_LANGUAGE, Translated};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        One(String),
        Several(Translated<String>),
    }

    /// Writes one text of no stated language as itself, nothing as null, and others by their languages.
    pub fn serialize<S: Serializer>(
        texts: &Translated<String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let one = texts.0.get(NO_LANGUAGE).filter(|_| texts.0.len() == 1);
        match one {
            Some(text) => text.serialize(serializer),
            None if texts.is_empty() => serializer.serialize_none(),
            None => texts.serialize(serializer),
        }
    }

    /// Reads what [`serialize`] writes.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Translated<String>, D::Error> {
        Ok(match Option::deserialize(deserializer)? {
            None => Translated::default(),
            Some(Stored::One(text)) => Translated::of(NO_LANGUAGE, text),
            Some(Stored::Several(texts)) => texts,
        })
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
