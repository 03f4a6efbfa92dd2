//! Language of the pages: its switch, and the language of a request.

pub(super) mod locale;

use actix_web::{
    HttpResponse,
    cookie::{Cookie, SameSite, time::Duration},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    form::{Field, Mistakes},
    local_path::LocalPath,
    page::see_other,
};
use crate::{text::i18n::Locale, web::language::locale::LOCALE_COOKIE};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
/// Form of the language switch.
pub struct LanguageForm {
    lang: Field,
    next: Field,
}

/// Returns the chosen language, and an answer that keeps it in a cookie and redirects to `next`.
pub fn choose(form: &LanguageForm) -> Result<(Locale, HttpResponse), Mistakes> {
    const LIVES: Duration = Duration::days(365);
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
    Ok((locale, answer))
}
