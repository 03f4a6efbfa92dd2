//! Texts that people read: languages, times. Knows neither HTTP nor a feature.

pub(crate) mod i18n;
pub(crate) mod times;
