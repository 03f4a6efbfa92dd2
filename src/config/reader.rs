//! Parser of settings, which collects mistakes. `None` is a value that was refused, or one that is missing
//! and required: a mistake was noted.

#![expect(clippy::option_option, reason = "no value is an answer, and a refused one is none")]

use std::{num::NonZeroU32, str::FromStr, time::Duration};

use super::secret::Secret;

/// Environment variable, as the README's table shows it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name of the variable.
    pub name: &'static str,
    /// Value if the variable is not set; empty if there is none then.
    pub default: &'static str,
    /// Unit or type of the value.
    pub unit: &'static str,
    /// Effect of the value.
    pub meaning: &'static str,
}

/// Reader of values, which notes every mistake.
pub(crate) struct Reader<L> {
    pub mistakes: Vec<String>,
    tables: [&'static [Setting]; 2],
    lookup: L,
}

impl<L: Fn(&str) -> Option<String>> Reader<L> {
    /// Creates a reader of the variables in `tables`.
    pub(crate) fn new(tables: [&'static [Setting]; 2], lookup: L) -> Self {
        Self { mistakes: Vec::new(), tables, lookup }
    }

    fn of_table(&self, name: &str, what: impl Fn(&Setting) -> &'static str) -> &'static str {
        let setting = self.tables.into_iter().flatten().find(|setting| setting.name == name);
        setting.map_or("", what)
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    pub(crate) fn required(&mut self, name: &str) -> Option<String> {
        let text = self.text(name);
        if text.is_none() {
            self.miss(name, self.of_table(name, |setting| setting.meaning));
        }
        text
    }

    /// Notes that a setting is missing; not if it is set to a value that was refused.
    pub(crate) fn miss(&mut self, name: &str, reason: &str) {
        if self.text(name).is_none() {
            self.mistakes.push(format!("{name} is not set: {reason}"));
        }
    }

    pub(crate) fn optional<T: FromStr>(&mut self, name: &str) -> Option<Option<T>> {
        let text = self.text(name);
        text.map_or(Some(None), |text| self.parse(name, &text, &text).map(Some))
    }

    /// Works as [`optional`](Self::optional), for a value that no message may contain.
    pub(crate) fn hidden<T: FromStr>(&mut self, name: &str) -> Option<Option<T>> {
        let text = self.text(name);
        text.map_or(Some(None), |text| self.parse(name, &text, "(hidden)").map(Some))
    }

    /// Returns the value that is set, or the default in its table.
    pub(crate) fn parsed<T: FromStr>(&mut self, name: &str) -> Option<T> {
        let text = self.text(name);
        let text =
            text.unwrap_or_else(|| self.of_table(name, |setting| setting.default).to_owned());
        self.parse(name, &text, &text)
    }

    /// Parses a value, or notes a mistake that shows it as `shown`.
    fn parse<T: FromStr>(&mut self, name: &str, text: &str, shown: &str) -> Option<T> {
        let parsed = text.parse().ok();
        if parsed.is_none() {
            let unit = self.of_table(name, |setting| setting.unit);
            self.mistakes
                .push(format!("{name} is {shown:?}, which is not a valid value ({unit})."));
        }
        parsed
    }

    /// Returns a number from `min` to `max`.
    pub(crate) fn within(&mut self, name: &str, min: u16, max: u16) -> Option<u16> {
        let number = self.parsed(name)?;
        if !(min..=max).contains(&number) {
            self.reject(name, &format!("must be between {min} and {max}."));
        }
        Some(number)
    }

    pub(crate) fn secs(&mut self, name: &str, min: u16, max: u16) -> Option<Duration> {
        self.within(name, min, max).map(|secs| Duration::from_secs(secs.into()))
    }

    pub(crate) fn millis(&mut self, name: &str) -> Option<Duration> {
        self.parsed(name).map(|millis: NonZeroU32| Duration::from_millis(millis.get().into()))
    }

    pub(crate) fn list<T: FromStr>(&mut self, name: &str) -> Option<Vec<T>> {
        let text = self.text(name).unwrap_or_default();
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(|entry| self.parse(name, entry, &text)).collect()
    }

    pub(crate) fn secret(&mut self, name: &str) -> Option<Option<String>> {
        let text = self.text(name);
        let is_usable = text.as_deref().is_none_or(|text| self.accept_secret(name, text));
        is_usable.then_some(text)
    }

    /// Returns the secrets of a comma-separated list; no mistake ever quotes one.
    pub(crate) fn secrets(&mut self, name: &str) -> Vec<Secret> {
        let text = self.text(name).unwrap_or_default();
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let entries: Vec<String> = entries.map(str::to_owned).collect();
        for entry in &entries {
            self.accept_secret(name, entry);
        }
        entries.into_iter().map(Secret::new).collect()
    }

    /// Whether a secret is long enough; notes a mistake if it is not.
    fn accept_secret(&mut self, name: &str, secret: &str) -> bool {
        const SECRET_BYTES_MIN: usize = 32;
        let is_long = secret.len() >= SECRET_BYTES_MIN;
        if !is_long {
            self.reject(name, &format!("is too short: {SECRET_BYTES_MIN} bytes or more."));
        }
        is_long
    }

    pub(crate) fn has_mistake(&self, name: &str) -> bool {
        self.mistakes.iter().any(|mistake| mistake.starts_with(name))
    }

    /// Notes that a value can be parsed and not be used.
    pub(crate) fn reject(&mut self, name: &str, reason: &str) {
        self.mistakes.push(format!("{name} {reason}"));
    }
}
