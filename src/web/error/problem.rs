//! Answer to an error, as the rows of the errors' tables build it.

use std::fmt;

use actix_web::http::StatusCode;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    text::{
        i18n::{Count, Locale, Phrase},
        prices::PriceUnit,
        times,
    },
    web::local_path::with_next,
};

/// What a row of an error's table says about each of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProblemCode {
    /// HTTP status.
    pub status: u16,
    /// The `code` member of the problem document; also part of the locale keys.
    pub code: &'static str,
    /// Further members that the document always has.
    pub members: &'static [&'static str],
}

/// Answer to an error. The texts come from `locales/` by the code.
#[derive(Debug)]
#[must_use]
pub struct Problem {
    /// The HTTP status.
    pub status: StatusCode,
    /// The `code` member of the problem document.
    pub code: &'static str,
    /// Target of the error page's one button; `None` leads to the same page where a retry can help,
    /// else to the start page.
    pub recovery_href: Option<String>,
    pub(in crate::web) retry_after_secs: Option<u64>,
    pub(in crate::web) headers: Vec<(&'static str, String)>,
    pub(in crate::web) members: Map<String, Value>,
    redirect: Option<Redirect>,
    arguments: Vec<(&'static str, Argument)>,
}

/// Address a browser is redirected to instead of getting an error page.
#[derive(Debug)]
enum Redirect {
    To(String),
    /// Page that leads on to the refused one.
    Detour(&'static str),
}

/// Argument of the texts.
#[derive(Debug)]
enum Argument {
    Number(i64),
    Word(String),
    Moment(DateTime<Utc>, Tz),
    Price(i64),
    Text(String),
}

impl Problem {
    /// Creates the answer of a row.
    pub fn new(row: ProblemCode) -> Self {
        Self {
            status: StatusCode::from_u16(row.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code: row.code,
            recovery_href: None,
            retry_after_secs: None,
            headers: Vec::new(),
            members: Map::new(),
            redirect: None,
            arguments: Vec::new(),
        }
    }

    /// Sets the target of the error page's button.
    pub fn recovery(mut self, href: impl Into<String>) -> Self {
        self.recovery_href = Some(href.into());
        self
    }

    /// Sets the target of the error page's button, unless it has one.
    pub fn or_recovery(self, href: &str) -> Self {
        if self.recovery_href.is_some() { self } else { self.recovery(href) }
    }

    /// Lets the error page's button lead where it does by itself.
    pub fn no_recovery(self) -> Self {
        Self { recovery_href: None, ..self }
    }

    /// Whether the same request may succeed later: the server failed, or says when to come back.
    pub fn is_worth_a_retry(&self) -> bool {
        self.status.is_server_error() || self.retry_after_secs.is_some()
    }

    /// Sets `Retry-After`, in seconds.
    pub fn retry_after(mut self, secs: u64) -> Self {
        self.retry_after_secs = Some(secs);
        self
    }

    /// Adds a header by its name in lower case, such as `allow`.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds a member to the problem document.
    pub fn member(mut self, name: &'static str, value: impl Serialize) -> Self {
        self.members.insert(name.to_owned(), json!(value));
        self
    }

    /// Adds the members of a JSON object to the problem document.
    pub fn with(mut self, members: Value) -> Self {
        if let Value::Object(members) = members {
            self.members.extend(members);
        }
        self
    }

    /// Returns what `add` makes of the answer.
    pub fn also(self, add: impl FnOnce(Self) -> Self) -> Self {
        add(self)
    }

    /// Redirects a browser to `href` instead of showing the error page.
    pub fn redirect(mut self, href: impl Into<String>) -> Self {
        self.redirect = Some(Redirect::To(href.into()));
        self
    }

    /// Redirects a browser to the page `path`, with the refused page as its `next`.
    pub fn detour(mut self, path: &'static str) -> Self {
        self.redirect = Some(Redirect::Detour(path));
        self
    }

    /// Sets an argument of the texts to a number, which selects plurals.
    pub fn number(self, name: &'static str, value: impl Count) -> Self {
        self.argument(name, Argument::Number(value.count()))
    }

    /// Sets an argument of the texts to words.
    pub fn word(self, name: &'static str, value: impl fmt::Display) -> Self {
        self.argument(name, Argument::Word(value.to_string()))
    }

    /// Sets an argument of the texts to a price, in points or in the money that they are sold for.
    pub fn price(self, name: &'static str, points: impl Count) -> Self {
        self.argument(name, Argument::Price(points.count()))
    }

    /// Sets an argument of the texts to a moment, on the clock of the time zone named `zone`.
    pub fn moment(self, name: &'static str, moment: DateTime<Utc>, zone: &str) -> Self {
        self.argument(name, Argument::Moment(moment, times::zone(zone)))
    }

    /// Sets an argument of the texts to the text `key`, which has the arguments set before.
    pub fn text(self, name: &'static str, key: impl Into<String>) -> Self {
        self.argument(name, Argument::Text(key.into()))
    }

    fn argument(mut self, name: &'static str, argument: Argument) -> Self {
        self.arguments.push((name, argument));
        self
    }

    /// Returns one of the texts: `title`, `detail` or `action`, with prices in `prices`.
    pub fn localize(&self, locale: Locale, prices: PriceUnit, part: &str) -> Phrase {
        let text = locale.text(format!("error-{}-{part}", self.code));
        self.arguments.iter().fold(text, |text, (name, argument)| match argument {
            Argument::Number(number) => text.number(name, *number),
            Argument::Word(word) => text.word(name, word),
            Argument::Price(points) => text.word(name, prices.say(locale, *points)),
            Argument::Moment(moment, zone) => {
                text.word(name, times::in_full(*moment, *zone, locale))
            }
            Argument::Text(key) => {
                let nested = text.renamed(key);
                text.word(name, nested)
            }
        })
    }

    /// Returns the address that a browser at `path` is redirected to; `None` shows the error page.
    pub(in crate::web) fn location(&self, path: &str) -> Option<String> {
        self.redirect.as_ref().map(|redirect| match redirect {
            Redirect::To(href) => href.clone(),
            Redirect::Detour(page) => with_next(page, path),
        })
    }
}
