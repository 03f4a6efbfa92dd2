//! Settings of the office: its name, its look and its legal texts.
//!
//! An administrator edits them on a page; no environment variable sets the same. They are **one row** of
//! PostgreSQL with a version, and each instance has a **copy** in memory, so that no page asks for them.
//! The **logo** is kept beside the row, and in the copy.
//!
//! # Invariants
//!
//! * For any colour, text in its [shades](colour::Shades) and on them has a contrast of
//!   [`CONTRAST_MIN`](colour::CONTRAST_MIN) at least.
//! * A logo that is served was decoded and encoded here: only the picture of an uploaded file reaches a
//!   browser.
//!
//! # Concurrency
//!
//! Two edits race for the version of the row. Other instances show their copies until their next look, a
//! few seconds later; a look that began before an edit never takes back what the edit wrote, because a
//! copy is replaced by a higher version only.

pub mod colour;
pub mod logo;
pub mod model;
pub mod store;

use std::sync::{Arc, PoisonError, RwLock};

use self::{logo::Logo, model::OfficeSettings};
use crate::infra::postgres::Pool;

/// Copy of the settings in one instance; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Office(Arc<RwLock<Edition>>);

/// Settings and logo of one version.
#[derive(Clone, Debug, Default)]
struct Edition {
    settings: Arc<OfficeSettings>,
    /// Logo that the settings name; `None` without one.
    logo: Option<Arc<Logo>>,
}

impl Office {
    /// Returns the settings as this instance knows them.
    pub fn settings(&self) -> Arc<OfficeSettings> {
        self.copy().settings
    }

    /// Returns the logo as this instance knows it; `None` without one.
    pub fn logo(&self) -> Option<Arc<Logo>> {
        self.copy().logo
    }

    /// Reads the settings and the logo if they are newer than the copy.
    pub async fn refresh(&self, db: &Pool) -> Result<(), sqlx::Error> {
        let known = self.copy();
        let Some(newer) = store::find_newer(db, known.settings.version).await? else {
            return Ok(());
        };
        let logo = match &newer.logo {
            None => None,
            Some(version) if known.settings.logo.as_ref() == Some(version) => known.logo,
            Some(version) => match store::find_logo(db, version).await? {
                // Replaced since the row was read: the next look finds both.
                None => return Ok(()),
                logo => logo.map(Arc::new),
            },
        };
        self.keep(Edition { settings: Arc::new(newer), logo });
        Ok(())
    }

    fn copy(&self) -> Edition {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the copy by a newer one.
    fn keep(&self, newer: Edition) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if newer.settings.version > kept.settings.version {
            *kept = newer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_copy_never_replaces_a_newer_one() {
        let office = Office::default();
        let of = |version, name: &str| {
            let texts = model::OfficeTexts { name: name.to_owned(), ..Default::default() };
            let settings = OfficeSettings { version, texts, ..OfficeSettings::default() };
            Edition { settings: Arc::new(settings), logo: None }
        };
        office.keep(of(2, "Second"));
        office.keep(of(1, "First"));
        assert_eq!(office.settings().name(), "Second");
    }
}
