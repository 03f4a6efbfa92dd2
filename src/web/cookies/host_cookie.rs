//! Cookies of an https office, bound to its host.
//!
//! The prefix `__Host-` lets a browser keep a cookie only if it came over https from this host, for all paths. Cookies
//! that hold no secret are written without it, and get it on their way out.

use actix_web::{
    HttpRequest,
    cookie::Cookie,
    http::header::{HeaderMap, HeaderValue, SET_COOKIE},
    web::Data,
};

use crate::app::App;

const PREFIX: &str = "__Host-";

/// Returns the cookie that was written as `name`.
pub(crate) fn read(request: &HttpRequest, name: &str) -> Option<Cookie<'static>> {
    let is_https = request.app_data::<Data<App>>().is_some_and(|app| app.config.is_https());
    match is_https {
        true => request.cookie(&format!("{PREFIX}{name}")),
        false => request.cookie(name),
    }
}

/// Binds every cookie of an answer that is not bound yet.
pub(in crate::web) fn bind_all(headers: &mut HeaderMap) {
    let written: Vec<HeaderValue> = headers.remove(SET_COOKIE).collect();
    for cookie in written {
        headers.append(SET_COOKIE, bound(&cookie).unwrap_or(cookie));
    }
}

/// Returns a cookie with the prefix and what it demands; `None` if it has the prefix.
fn bound(cookie: &HeaderValue) -> Option<HeaderValue> {
    let text = cookie.to_str().ok().filter(|text| !text.starts_with(PREFIX))?;
    HeaderValue::from_str(&format!("{PREFIX}{text}; Secure")).ok()
}
