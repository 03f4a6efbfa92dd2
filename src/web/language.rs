//! The language of a request, and the switch that changes it.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time::Duration},
    http::header::ACCEPT_LANGUAGE,
};
use serde::Deserialize;

use super::{
    error::PageError,
    form::{Body, Field, Mistakes},
    local_path::LocalPath,
    page::see_other,
};
use crate::text::i18n::Locale;

/// Name of the cookie that keeps the language chosen with the switch.
const LOCALE_COOKIE: &str = "locale";

/// Returns the language of a request: the one chosen with the switch, else the one the browser
/// prefers, else English.
pub(crate) fn locale_of(request: &HttpRequest) -> Locale {
    let chosen = request.cookie(LOCALE_COOKIE).and_then(|cookie| Locale::parse(cookie.value()));
    let header = request.headers().get(ACCEPT_LANGUAGE);
    let preferred = || Locale::preferred(header?.to_str().ok()?);
    chosen.or_else(preferred).unwrap_or_default()
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
/// Form of the language switch.
pub struct LanguageForm {
    lang: Field,
    next: Field,
}

/// `POST /language`: keeps the chosen language in a cookie and redirects to `next`.
pub async fn update_language(form: Body<LanguageForm>) -> Result<HttpResponse, PageError> {
    const LIVES: Duration = Duration::days(365);
    let form = form.0;
    let chosen = Locale::parse(form.lang.text());
    let locale = chosen.ok_or_else(|| Mistakes::one("lang", "language-unknown"))?;
    let cookie = Cookie::build(LOCALE_COOKIE, locale.tag())
        .path("/")
        .same_site(SameSite::Lax)
        .http_only(true)
        .max_age(LIVES)
        .finish();
    let mut answer = see_other(LocalPath::or_start(form.next.text()).as_str());
    let _ = answer.add_cookie(&cookie);
    Ok(answer)
}
