//! A message for the page after a redirect, shown once.
//!
//! The cookie holds a key of `locales/`, never a text: whatever a stranger plants in
//! it, the page says only what we would say.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, SameSite, time::Duration},
};

/// The cookie that carries the key.
const COOKIE: &str = "flash";
/// What every key of a flash begins with.
const KEY_PREFIX: &str = "flash-";
const LIVES: Duration = Duration::seconds(30);

/// The key that waits to be shown.
pub(crate) fn of(request: &HttpRequest) -> Option<String> {
    let key = request.cookie(COOKIE)?.value().to_owned();
    let is_key = key.starts_with(KEY_PREFIX)
        && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_key.then_some(key)
}

/// Shows the text `key`, which begins with `flash-`, on the next page.
pub fn cookie(key: &'static str) -> Cookie<'static> {
    Cookie::build(COOKIE, key)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .max_age(LIVES)
        .finish()
}

/// Takes the message away once it was shown.
pub(crate) fn removal() -> Cookie<'static> {
    let mut cookie = cookie("");
    cookie.make_removal();
    cookie
}
