//! Office that writes letters.

use std::sync::Arc;

use crate::{app::App, office::model::OfficeSettings, text::prices::PriceUnit};

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
        Self {
            site: app.config.site_url(),
            office: app.office.settings(),
            prices: PriceUnit::of(&app.config.payment),
        }
    }
}
