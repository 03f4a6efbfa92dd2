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
        locales: "../../locales",
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

/// Facts about a language beside its texts.
struct Language {
    /// Tag of the language; its texts are `locales/TAG.ftl`.
    id: LanguageIdentifier,
    /// Name of the language in the language itself.
    own_name: &'static str,
    /// Style sheet of the fonts of its letters; `None` where Latin ones, which every page has, are all.
    letters: Option<&'static str>,
    /// Format of a date with its time, as chrono has it.
    moment_form: &'static str,
    /// Format of a day without its year.
    day_form: &'static str,
    /// Locale of chrono for names of days and months.
    names: chrono::Locale,
}

/// All languages, in the order the switch shows them. The first one also serves visitors who prefer
/// none of them.
static LANGUAGES: [Language; 3] = [
    Language {
        id: langid!("en"),
        own_name: "English",
        letters: None,
        moment_form: "%a %-d %b %Y, %H:%M",
        day_form: "%-d %b",
        names: chrono::Locale::en_GB,
    },
    Language {
        id: langid!("ko"),
        own_name: "한국어",
        letters: Some("css/hangul.css"),
        moment_form: "%Y년 %-m월 %-d일 (%a) %H:%M",
        day_form: "%-m월 %-d일",
        names: chrono::Locale::ko_KR,
    },
    Language {
        id: langid!("ja"),
        own_name: "日本語",
        letters: Some("css/kana.css"),
        moment_form: "%Y年%-m月%-d日(%a) %H:%M",
        day_form: "%-m月%-d日",
        names: chrono::Locale::ja_JP,
    },
];

/// Language of the product; English by default.
#[derive(Clone, Copy)]
pub struct Locale(&'static Language);

impl Locale {
    /// Lists all languages, in the order the switch shows them.
    pub fn all() -> impl Iterator<Item = Self> {
        LANGUAGES.iter().map(Self)
    }

    /// Parses a language tag, such as `en` or `ko-KR`; `None` if the language is not supported.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.trim().split('-').next()?;
        Self::all().find(|locale| locale.tag().eq_ignore_ascii_case(primary))
    }

    /// Value of the `lang` attribute.
    pub fn tag(self) -> &'static str {
        self.0.id.language.as_str()
    }

    /// Name of the language in the language itself.
    pub fn own_name(self) -> &'static str {
        self.0.own_name
    }

    /// Name of the style sheet of the fonts of its letters; `None` where every page has them.
    pub fn letters(self) -> Option<&'static str> {
        self.0.letters
    }

    /// Form of a date with its time, and the names of days and months in it, for chrono.
    pub(super) fn moment_form(self) -> (&'static str, chrono::Locale) {
        (self.0.moment_form, self.0.names)
    }

    /// Form of a day without its year, and the names of months in it, for chrono.
    pub(super) fn day_form(self) -> (&'static str, chrono::Locale) {
        (self.0.day_form, self.0.names)
    }

    /// Returns the text named `key`.
    pub fn text(self, key: impl Into<Cow<'static, str>>) -> Phrase {
        Phrase { locale: self, key: key.into(), args: HashMap::new() }
    }
}

impl Default for Locale {
    fn default() -> Self {
        let [first, ..] = &LANGUAGES;
        Self(first)
    }
}

impl PartialEq for Locale {
    fn eq(&self, other: &Self) -> bool {
        self.tag() == other.tag()
    }
}

impl Eq for Locale {}

impl fmt::Debug for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
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
    #[must_use]
    pub fn renamed(&self, key: &str) -> Self {
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
        let text = LOCALES.try_lookup_with_args(&self.locale.0.id, &self.key, &self.args);
        f.write_str(text.as_deref().unwrap_or(&self.key))
    }
}

/// Whole number as an argument of a text; implemented for references too, because templates pass
/// references.
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

/// Groups a number by thousands: 1234567 as 1,234,567, in every language.
pub fn grouped(value: impl fmt::Display) -> String {
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
        assert_eq!(grouped(123), "123");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(123_456.5), "123,456.5");
        assert_eq!(grouped(-1_234_567), "-1,234,567");
    }

    #[test]
    fn a_region_does_not_hide_a_language() {
        assert_eq!(Locale::parse("ko-KR").map(Locale::tag), Some("ko"));
        assert_eq!(Locale::parse("JA-jp").map(Locale::tag), Some("ja"));
        assert_eq!(Locale::parse("de"), None);
    }

    #[test]
    fn a_language_is_switched_by_its_own_name_and_is_the_same_in_any_region() {
        let names: Vec<&str> = Locale::all().map(Locale::own_name).collect();
        assert_eq!(names, ["English", "한국어", "日本語"]);
        assert_eq!(Locale::parse("ko"), Locale::parse("ko-KR"));
        assert_ne!(Locale::parse("ko"), Locale::parse("ja"));
    }

    #[test]
    fn a_text_keeps_its_language_and_its_arguments_under_another_name() {
        let korean = Locale::parse("ko").unwrap();
        // Templates pass references.
        let points: &u32 = &2_000;
        let text = korean.text("points-amount").number("points", points).word("zone", "Pit");
        assert_eq!((text.locale(), text.to_string()), (korean, "2,000포인트".to_owned()));
        let renamed = text.renamed("reservation-standing");
        assert_eq!((renamed.locale(), renamed.to_string()), (korean, "Pit 스탠딩".to_owned()));
    }
}
