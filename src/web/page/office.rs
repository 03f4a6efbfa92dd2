//! Settings of the office, as pages show them.

use std::sync::Arc;

use actix_web::{HttpRequest, web::Data};

use crate::{
    app::App,
    office::model::OfficeSettings,
    text::{i18n::Phrase, prices::PriceUnit},
};

/// Settings as one page shows them.
pub(crate) type ShownOffice = Arc<OfficeSettings>;

/// Texts that name the office by `$office`.
const NAMING: [&str; 2] = ["layout-title", "account-code-lede"];

/// Returns the settings that the instance of a request has in memory.
pub(super) fn settings_of(request: &HttpRequest) -> ShownOffice {
    let app = request.app_data::<Data<App>>();
    app.map(|app| app.office.settings()).unwrap_or_default()
}

/// Returns the unit in which the office of a request tells prices.
pub(super) fn prices_of(request: &HttpRequest) -> PriceUnit {
    let app = request.app_data::<Data<App>>();
    app.map(|app| PriceUnit::of(&app.config.payment)).unwrap_or_default()
}

/// Whether the instance of a request knows that its database went back.
pub(super) fn is_set_back(request: &HttpRequest) -> bool {
    request.app_data::<Data<App>>().is_some_and(|app| app.is_set_back())
}

/// Gives the text named `key` the name of the office, if it is one that shows it.
pub(super) fn named(office: &OfficeSettings, key: &str, text: Phrase) -> Phrase {
    if NAMING.contains(&key) { text.word("office", office.name()) } else { text }
}
