//! Language of a request.

use actix_web::{
    HttpRequest,
    http::header::{AcceptLanguage, Header},
};

use crate::{text::i18n::Locale, web::cookies::host_cookie};

/// Name of the cookie that keeps the language chosen with the switch.
pub(crate) const LOCALE_COOKIE: &str = "locale";

/// Returns the language of a request: the one chosen with the switch, else the one the browser
/// prefers, else English.
pub(crate) fn locale_of(request: &HttpRequest) -> Locale {
    let chosen =
        host_cookie::read(request, LOCALE_COOKIE).and_then(|cookie| Locale::parse(cookie.value()));
    let preferred = || {
        let ranked = AcceptLanguage::parse(request).ok()?.ranked();
        ranked.iter().find_map(|tag| Locale::parse(tag.item()?.primary_language()))
    };
    chosen.or_else(preferred).unwrap_or_default()
}
