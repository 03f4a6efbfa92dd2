//! Languages, and every text a person reads.
//!
//! A text is named by its key in `locales/`; a [`Phrase`] is a text with its arguments, rendered
//! where it is displayed.

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

/// Language of the product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locale {
    /// English, also the fallback for languages that are not supported.
    #[default]
    En,
    /// Korean.
    Ko,
}

impl Locale {
    /// All languages, in the order the switch shows them.
    pub const ALL: [Self; 2] = [Self::En, Self::Ko];

    /// Parses a language tag, such as `en` or `ko-KR`; `None` if the language is not supported.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.trim().split('-').next()?;
        Self::ALL.into_iter().find(|locale| locale.tag().eq_ignore_ascii_case(primary))
    }

    /// Value of the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ko => "ko",
        }
    }

    /// Name of the language in the language itself.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Ko => "한국어",
        }
    }

    /// Returns the text named `key`.
    pub fn text(self, key: impl Into<Cow<'static, str>>) -> Phrase {
        Phrase { locale: self, key: key.into(), args: HashMap::new() }
    }

    fn language(self) -> &'static LanguageIdentifier {
        match self {
            Self::En => &EN,
            Self::Ko => &KO,
        }
    }
}

/// Text of the product in one language, with its arguments.
#[derive(Clone, Debug)]
pub struct Phrase {
    locale: Locale,
    key: Cow<'static, str>,
    args: HashMap<Cow<'static, str>, FluentValue<'static>>,
}

impl Phrase {
    /// Language of the text.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// Returns the text named `key` with the same arguments.
    pub(crate) fn renamed(&self, key: &str) -> Self {
        Self { key: key.to_owned().into(), ..self.clone() }
    }

    /// Sets an argument to a number, which is grouped by thousands and selects plurals.
    #[must_use]
    pub fn number(mut self, name: &'static str, value: impl Count) -> Self {
        self.args.insert(name.into(), FluentValue::from(value.count()));
        self
    }

    /// Sets an argument to words.
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

/// Whole number as an argument of a text; implemented for references too, because templates pass
/// those.
pub trait Count {
    /// Returns the number; values above `i64::MAX` become `i64::MAX`.
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

/// Groups a number by thousands: 1234567 as 1,234,567, in both languages.
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
