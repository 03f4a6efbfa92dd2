//! Office that writes letters.

use std::sync::Arc;

use crate::{app::App, config::Config, office::model::OfficeSettings, text::prices::PriceUnit};

/// Office that writes.
#[derive(Clone, Debug)]
pub struct Sender {
    /// Address of the site, without a path.
    pub(in crate::mail) site: String,
    pub(in crate::mail) office: Arc<OfficeSettings>,
    pub(in crate::mail) prices: PriceUnit,
}

impl Sender {
    /// Returns the office as this instance knows it.
    pub fn of(app: &App) -> Self {
        Self::with(&app.config, app.office.settings())
    }

    /// Returns the office of these settings.
    pub(in crate::mail) fn with(config: &Config, office: Arc<OfficeSettings>) -> Self {
        Self { site: config.site_url(), office, prices: PriceUnit::of(&config.payment) }
    }
}
