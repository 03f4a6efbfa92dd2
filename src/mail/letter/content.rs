//! Content of a letter, from which its parts are rendered.

use std::sync::Arc;

use super::sender::Sender;
use crate::{
    office::model::OfficeSettings,
    points::Points,
    text::{
        i18n::{Locale, Phrase},
        prices::PriceUnit,
        translated::Translated,
    },
};

/// Content of a letter, in its order.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) locale: Locale,
    pub(super) subject: String,
    pub(super) greeting: Phrase,
    pub(super) paragraphs: Vec<Phrase>,
    /// Facts with their names.
    pub(super) facts: Vec<(Phrase, String)>,
    /// Target of the one button, and its label.
    pub(super) action: Option<(String, Phrase)>,
    /// Sentences below the button.
    pub(super) notes: Vec<Phrase>,
    pub(super) site: String,
    pub(super) office: Arc<OfficeSettings>,
    /// Unit of prices, points or money.
    pub(super) prices: PriceUnit,
    /// Address that ends the mails of this topic; `None` where they cannot be declined.
    pub(super) unsubscription: Option<String>,
}

/// Shown in a link in place of its secret, where that was deleted or is not for the reader.
pub(super) const WIPED: &str = "...";

impl Content {
    /// Returns an empty letter with a greeting.
    pub(super) fn blank(locale: Locale, from: Sender) -> Self {
        Self {
            locale,
            subject: String::new(),
            greeting: locale.text("mail-greeting-plain"),
            paragraphs: Vec::new(),
            facts: Vec::new(),
            action: None,
            notes: Vec::new(),
            site: from.site,
            office: from.office,
            prices: from.prices,
            unsubscription: None,
        }
    }

    /// Returns a price in words.
    pub(super) fn price(&self, points: Points) -> String {
        self.prices.say(self.locale, points)
    }

    /// Returns the text named `key`, which names the office by `$office`.
    pub(super) fn naming(&self, key: &'static str) -> Phrase {
        self.locale.text(key).word("office", self.office.name())
    }
}

/// Returns the fact with the words of the office in `locale`, or else in their first language; `None` without any.
pub(super) fn words(
    locale: Locale,
    texts: Option<&Translated<String>>,
) -> Option<(Phrase, String)> {
    let words = texts?.in_language(locale)?;
    Some((locale.text("mail-fact-words"), on_one_line(words)))
}

/// Returns `text` on one line: a title may have been typed with line ends.
pub(super) fn on_one_line(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<&str> = text.split(is_end).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
