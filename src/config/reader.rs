//! Parser of settings, which collects mistakes.

use std::{num::NonZeroU32, str::FromStr, time::Duration};

use super::{SETTINGS, Secret, Setting};

/// Reader of values, which notes every mistake.
pub(crate) struct Reader<L> {
    pub(crate) mistakes: Vec<String>,
    lookup: L,
}

impl<L: Fn(&str) -> Option<String>> Reader<L> {
    pub(crate) fn new(lookup: L) -> Self {
        Self { mistakes: Vec::new(), lookup }
    }

    fn text(&self, name: &str) -> Option<String> {
        (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    pub(crate) fn required(&mut self, name: &str) -> String {
        self.text(name).unwrap_or_else(|| {
            self.miss(name, meaning_of(name));
            String::new()
        })
    }

    /// Notes that a setting is missing; not if it is set to a value that was refused.
    pub(crate) fn miss(&mut self, name: &str, reason: &str) {
        if self.text(name).is_none() {
            self.mistakes.push(format!("{name} is not set: {reason}"));
        }
    }

    pub(crate) fn optional<T: FromStr>(&mut self, name: &str) -> Option<T> {
        let text = self.text(name)?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.refuse(name, &text);
        }
        parsed
    }

    /// Works as [`optional`](Self::optional), for a value that no message may contain.
    pub(crate) fn hidden<T: FromStr>(&mut self, name: &str) -> Option<T> {
        let parsed = self.text(name)?.parse().ok();
        if parsed.is_none() {
            self.refuse(name, "(hidden)");
        }
        parsed
    }

    /// Returns the value that is set, or the default in [`SETTINGS`]; for a value that cannot be
    /// parsed notes a mistake and returns `unusable`, which the caller never gets to use.
    pub(crate) fn parsed<T: FromStr>(&mut self, name: &str, unusable: T) -> T {
        let text = self.text(name).unwrap_or_else(|| default_of(name).to_owned());
        text.parse().unwrap_or_else(|_| {
            self.refuse(name, &text);
            unusable
        })
    }

    /// Returns the value that is set, or the default in [`SETTINGS`]; `None` with a mistake noted if
    /// it cannot be parsed.
    pub(crate) fn defaulted<T: FromStr>(&mut self, name: &str) -> Option<T> {
        let text = self.text(name).unwrap_or_else(|| default_of(name).to_owned());
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.refuse(name, &text);
        }
        parsed
    }

    /// Returns a number from `min` to `max`; notes a mistake for any other.
    pub(crate) fn within(&mut self, name: &str, min: u16, max: u16) -> u16 {
        let number = self.parsed(name, min);
        if !(min..=max).contains(&number) {
            self.reject(name, &format!("must be between {min} and {max}."));
        }
        number
    }

    pub(crate) fn millis(&mut self, name: &str) -> Duration {
        Duration::from_millis(u64::from(self.parsed(name, NonZeroU32::MIN).get()))
    }

    pub(crate) fn list<T: FromStr>(&mut self, name: &str) -> Vec<T> {
        let text = self.text(name).unwrap_or_default();
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let parsed: Option<Vec<T>> = entries.map(|entry| entry.parse().ok()).collect();
        parsed.unwrap_or_else(|| {
            self.refuse(name, &text);
            Vec::new()
        })
    }

    pub(crate) fn secret(&mut self, name: &str) -> Option<String> {
        let text = self.text(name)?;
        self.refuse_short(name, &text);
        Some(text)
    }

    /// Returns the secrets of a comma-separated list; no mistake ever quotes one.
    pub(crate) fn secrets(&mut self, name: &str) -> Vec<Secret> {
        let text = self.text(name).unwrap_or_default();
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let entries: Vec<String> = entries.map(str::to_owned).collect();
        for entry in &entries {
            self.refuse_short(name, entry);
        }
        entries.into_iter().map(Secret::new).collect()
    }

    fn refuse_short(&mut self, name: &str, secret: &str) {
        const SECRET_BYTES_MIN: usize = 32;
        if secret.len() < SECRET_BYTES_MIN {
            self.mistakes.push(format!("{name} is too short: {SECRET_BYTES_MIN} bytes or more."));
        }
    }

    pub(crate) fn has_mistake(&self, name: &str) -> bool {
        self.mistakes.iter().any(|mistake| mistake.starts_with(name))
    }

    /// Notes that a value can be parsed and not be used.
    pub(crate) fn reject(&mut self, name: &str, reason: &str) {
        self.mistakes.push(format!("{name} {reason}"));
    }

    fn refuse(&mut self, name: &str, text: &str) {
        let unit = setting_of(name).map_or("", |setting| setting.unit);
        self.mistakes.push(format!("{name} is {text:?}, which is not a valid value ({unit})."));
    }
}

fn setting_of(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

fn default_of(name: &str) -> &'static str {
    setting_of(name).map_or("", |setting| setting.default)
}

fn meaning_of(name: &str) -> &'static str {
    setting_of(name).map_or("", |setting| setting.meaning)
}
