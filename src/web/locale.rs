//! Language of a request.

use actix_web::{HttpRequest, http::header::ACCEPT_LANGUAGE};

use crate::text::i18n::Locale;

/// Name of the cookie that keeps the language chosen with the switch.
pub(crate) const LOCALE_COOKIE: &str = "locale";

/// Returns the language of a request: the one chosen with the switch, else the one the browser
/// prefers, else English.
pub(crate) fn locale_of(request: &HttpRequest) -> Locale {
    let chosen = request.cookie(LOCALE_COOKIE).and_then(|cookie| Locale::parse(cookie.value()));
    let header = request.headers().get(ACCEPT_LANGUAGE);
    let preferred = || Locale::preferred(header?.to_str().ok()?);
    chosen.or_else(preferred).unwrap_or_default()
}
