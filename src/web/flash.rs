//! Messages for the page after a redirect, shown once.
//!
//! The cookie holds a key of `locales/`, never a text: a forged cookie can only select one of the
//! product's own messages.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time::Duration},
};

use super::cookies::host_cookie;

/// Name of the cookie that carries the key.
const COOKIE: &str = "flash";
/// Prefix of every flash key.
const KEY_PREFIX: &str = "flash-";
const LIVES: Duration = Duration::seconds(30);

/// Returns the key of the message to show; `None` if there is none or the cookie holds no flash
/// key.
pub fn of(request: &HttpRequest) -> Option<String> {
    let key = host_cookie::read(request, COOKIE)?.value().to_owned();
    let is_key = key.starts_with(KEY_PREFIX)
        && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_key.then_some(key)
}

/// Adds the message `key`, which begins with `flash-`, to an answer that redirects.
pub fn with_message(mut answer: HttpResponse, key: &'static str) -> HttpResponse {
    if answer.status().is_redirection() {
        // The cookie's value is a plain key and always a valid header, so the error cannot occur.
        let _ = answer.add_cookie(&cookie(key));
    }
    answer
}

fn cookie(key: &'static str) -> Cookie<'static> {
    Cookie::build(COOKIE, key)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .max_age(LIVES)
        .finish()
}

/// Returns the cookie that removes a shown message.
pub fn removal() -> Cookie<'static> {
    let mut cookie = cookie("");
    cookie.make_removal();
    cookie
}
