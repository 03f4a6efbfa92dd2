//! The languages, and every text a person reads.
//!
//! A text is named by its key in `locales/`; a [`Phrase`] is a text with its
//! arguments, rendered where it is displayed.

use std::{borrow::Cow, collections::HashMap, fmt};

use fluent_templates::{
    LanguageIdentifier, Loader, fluent_bundle::FluentValue, langid, static_loader,
};

static_loader! {
    static LOCALES = {
        locales: "./locales",
        fallback_language: "en",
        customise: |bundle| {
            bundle.set_use_isolating(false);
            bundle.set_formatter(Some(|value, _| match value {
                FluentValue::Number(number) => Some(grouped(number.value)),
                _ => None,
            }));
        },
    };
}

static EN: LanguageIdentifier = langid!("en");
static KO: LanguageIdentifier = langid!("ko");

/// A language we speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locale {
    /// English, also for whoever asks for a language we do not speak.
    #[default]
    En,
    /// Korean.
    Ko,
}

impl Locale {
    /// Every language, in the order the switch shows them.
    pub const ALL: [Self; 2] = [Self::En, Self::Ko];

    /// A language by its tag, `en` or `ko-KR`.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.trim().split('-').next()?;
        Self::ALL.into_iter().find(|locale| locale.tag().eq_ignore_ascii_case(primary))
    }

    /// The `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ko => "ko",
        }
    }

    /// The language's own name.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Ko => "한국어",
        }
    }

    /// The text named `key`.
    pub fn text(self, key: impl Into<Cow<'static, str>>) -> Phrase {
        Phrase { locale: self, key: key.into(), args: HashMap::new() }
    }

    /// Supported language with the highest weight in `header`, the value of an
    /// `Accept-Language`; `None` when there is none.
    pub(crate) fn preferred(header: &str) -> Option<Self> {
        let mut weighted: Vec<(f32, Self)> = header
            .split(',')
            .filter_map(|entry| {
                let mut parts = entry.split(';');
                let locale = Self::parse(parts.next()?)?;
                let weight = parts.find_map(|part| part.trim().strip_prefix("q=")?.parse().ok());
                Some((weight.unwrap_or(1.0), locale))
            })
            .collect();
        weighted.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        weighted.first().map(|(_, locale)| *locale)
    }

    fn language(self) -> &'static LanguageIdentifier {
        match self {
            Self::En => &EN,
            Self::Ko => &KO,
        }
    }
}

/// A text of the product, in one language, with what fills its gaps.
#[derive(Clone, Debug)]
pub struct Phrase {
    locale: Locale,
    key: Cow<'static, str>,
    args: HashMap<Cow<'static, str>, FluentValue<'static>>,
}

impl Phrase {
    /// The language it is in.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// Fills a gap with a number: grouped by thousands, and what plurals go by.
    #[must_use]
    pub fn number(mut self, name: &'static str, value: impl Count) -> Self {
        self.args.insert(name.into(), FluentValue::from(value.count()));
        self
    }

    /// Fills a gap with words.
    #[must_use]
    pub fn word(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.args.insert(name.into(), FluentValue::from(value.to_string()));
        self
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = LOCALES.try_lookup_with_args(self.locale.language(), &self.key, &self.args);
        f.write_str(text.as_deref().unwrap_or(&self.key))
    }
}

/// A whole number that a text can say; references too, because templates pass those.
pub trait Count {
    /// The number.
    fn count(&self) -> i64;
}

macro_rules! counts {
    ($($number:ty),*) => {$(
        impl Count for $number {
            fn count(&self) -> i64 {
                i64::try_from(*self).unwrap_or(i64::MAX)
            }
        }
    )*};
}

counts!(i32, i64, u32, u64, usize);

impl<T: Count> Count for &T {
    fn count(&self) -> i64 {
        (*self).count()
    }
}

/// 1234567 as 1,234,567, as both of our languages write it.
pub(crate) fn grouped(value: impl fmt::Display) -> String {
    let digits = value.to_string();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut text = String::from(sign);
    for (idx, digit) in whole.chars().enumerate() {
        if idx > 0 && (whole.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(-1_234_567), "-1,234,567");
    }

    #[test]
    fn a_region_does_not_hide_a_language() {
        assert_eq!(Locale::parse("ko-KR"), Some(Locale::Ko));
        assert_eq!(Locale::parse("de"), None);
    }
}
