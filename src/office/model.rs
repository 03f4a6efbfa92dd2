//! Types of the settings of the office.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::colour::{Colour, Shades};

/// Name of an office that has none of its own.
const NAME: &str = "Stagedoor";
/// Colours of an office that has none of its own: `--accent` and `--on-accent` of `tokens.css`.
const LIGHT: [&str; 2] = ["#0c5f47", "#ffffff"];
const DARK: [&str; 2] = ["#6fd0ab", "#06281d"];

/// Settings that an administrator types; an empty text is not set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfficeTexts {
    /// Name; empty: the program's own.
    pub name: String,
    /// E-mail address for people with questions.
    pub email: String,
    /// Telephone number for people with questions.
    pub phone: String,
    /// Colour of buttons and links, as `#rrggbb`; empty: the program's own.
    pub colour: String,
    /// Imprint, in Markdown.
    pub imprint: String,
    /// Terms, in Markdown.
    pub terms: String,
    /// Privacy notice, in Markdown.
    pub privacy: String,
    /// Who sells, as receipts name it; empty: the name of the office.
    pub seller: String,
    /// Address of the seller.
    pub seller_address: String,
    /// Tax number of the seller.
    pub tax_number: String,
    /// Tax that prices contain, in hundredths of a percent (0-10,000); `None`: receipts state none.
    pub tax_rate_bp: Option<i32>,
}

/// Settings of the office.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfficeSettings {
    /// Number of edits.
    pub version: i64,
    /// Texts that an administrator edits.
    #[serde(flatten)]
    pub texts: OfficeTexts,
    /// Version of the logo; `None` without one.
    pub logo: Option<String>,
}

impl OfficeSettings {
    /// Returns the name of the office.
    pub fn name(&self) -> &str {
        match self.texts.name.as_str() {
            "" => NAME,
            name => name,
        }
    }

    /// Returns the legal texts that are not empty.
    pub fn legal_texts(&self) -> impl Iterator<Item = LegalText<'_>> {
        let OfficeTexts { imprint, terms, privacy, .. } = &self.texts;
        let all = [
            ("/imprint", "office-imprint", imprint),
            ("/terms", "office-terms", terms),
            ("/privacy", "office-privacy", privacy),
        ];
        let all =
            all.into_iter().map(|(path, title_key, text)| LegalText { path, title_key, text });
        all.filter(|legal| !legal.text.is_empty())
    }

    /// Returns the path of the logo; `None` without a logo.
    pub fn logo_path(&self, size: LogoSize) -> Option<String> {
        let version = self.logo.as_ref()?;
        Some(format!("/office/{version}/{}.png", size.as_ref()))
    }

    /// Returns the path of the logo for the header; `None` without a logo.
    pub fn small_logo(&self) -> Option<String> {
        self.logo_path(LogoSize::Small)
    }

    /// Returns the path of the stylesheet with the colour; `None` without a colour.
    pub fn style_path(&self) -> Option<String> {
        let digits = self.texts.colour.strip_prefix('#')?;
        Some(format!("/office/{digits}.css"))
    }

    /// Returns the accent on light pages.
    pub fn accent(&self) -> String {
        let [accent, _] = self.colours(Shades::light, LIGHT);
        accent
    }

    /// Returns the declarations that colour a button of a mail on a light ground.
    pub fn light_button(&self) -> String {
        let [accent, on_accent] = self.colours(Shades::light, LIGHT);
        format!("background: {accent}; color: {on_accent}")
    }

    /// Returns the declarations that colour a button of a mail on a dark ground.
    pub fn dark_button(&self) -> String {
        let [accent, on_accent] = self.colours(Shades::dark, DARK);
        format!("background: {accent}; color: {on_accent}")
    }

    /// Returns the accent and the colour of text on it.
    fn colours(&self, shades: fn(Colour) -> Shades, own: [&str; 2]) -> [String; 2] {
        let shades = Colour::parse(&self.texts.colour).map(shades);
        let colours = shades.map(|Shades { accent, on_accent, .. }| [accent, on_accent]);
        colours.map_or_else(|| own.map(str::to_owned), |colours| colours.map(Colour::text))
    }

    /// Returns the address that writes to the office; `None` without an e-mail address.
    pub fn mail_href(&self) -> Option<String> {
        let (name, host) = self.texts.email.rsplit_once('@')?;
        let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
        Some(format!("mailto:{name}@{host}"))
    }

    /// Returns the address that calls the office; `None` without a telephone number.
    pub fn phone_href(&self) -> Option<String> {
        let phone = self.texts.phone.as_str();
        let digits = phone.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect::<String>();
        (!digits.is_empty()).then(|| format!("tel:{digits}"))
    }
}

/// Tax rate in hundredths of a percent (0-10,000). It is shown as `10%` or `5.5%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaxRate(pub i32);

impl TaxRate {
    /// Reads a number of percent (0-100) with up to two decimals behind a point or comma, with or without the sign;
    /// `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches('%').trim_end().replace(',', ".");
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(decimals) || decimals.len() > 2 {
            return None;
        }
        let hundredths: i32 = format!("{decimals:0<2}").parse().ok()?;
        let rate = whole.parse::<i32>().ok()?.checked_mul(100)?.checked_add(hundredths)?;
        (rate <= 10_000).then_some(Self(rate))
    }

    /// Returns the number of percent, without zeros that say nothing.
    pub fn number(self) -> String {
        let text = format!("{}.{:02}", self.0 / 100, self.0 % 100);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

impl fmt::Display for TaxRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.number())
    }
}

/// Text that the law asks for.
#[derive(Clone, Copy, Debug)]
pub struct LegalText<'a> {
    /// Path of its page.
    pub path: &'static str,
    title_key: &'static str,
    /// Markdown.
    pub text: &'a str,
}

impl LegalText<'_> {
    /// Returns the locale key of its name.
    pub fn title_key(&self) -> &'static str {
        self.title_key
    }
}

/// Size of a logo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::AsRefStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum LogoSize {
    /// For the header of pages.
    Small,
    /// For other sites and home screens.
    Large,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tax_rate_is_a_number_of_percent_with_two_decimals_at_most() {
        for (typed, shown) in [
            ("0", "0%"),
            ("10", "10%"),
            ("5,5", "5.5%"),
            ("19.25 %", "19.25%"),
            ("7.", "7%"),
            ("100", "100%"),
        ] {
            assert_eq!(TaxRate::parse(typed).map(|rate| rate.to_string()).as_deref(), Some(shown));
        }
        for wrong in
            ["", "%", "-1", "+1", "100.01", "101", "1.234", "1e1", ".5", "99999999999", "１０"]
        {
            assert_eq!(TaxRate::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_people_write_to_is_no_more_than_an_address() {
        let of = |email: &str, phone: &str| {
            let (email, phone) = (email.to_owned(), phone.to_owned());
            let texts = OfficeTexts { email, phone, ..OfficeTexts::default() };
            let settings = OfficeSettings { texts, ..OfficeSettings::default() };
            (settings.mail_href(), settings.phone_href())
        };
        assert_eq!(of("", ""), (None, None));
        let (mail, phone) = of("a?bcc=eve&b@example.com", "+82 (0)2-123");
        assert_eq!(mail.as_deref(), Some("mailto:a%3Fbcc%3Deve%26b@example.com"));
        assert_eq!(phone.as_deref(), Some("tel:+8202123"));
    }

    #[test]
    fn the_own_colours_are_those_of_the_tokens() {
        let tokens = include_str!("../../static/css/tokens.css");
        for [accent, on_accent] in [LIGHT, DARK] {
            assert!(tokens.contains(&format!("--accent: {accent};")), "{accent}");
            assert!(tokens.contains(&format!("--on-accent: {on_accent};")), "{on_accent}");
        }
    }
}
