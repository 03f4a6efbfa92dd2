//! Cookies that carry entry passes, one for each program.
//!
//! The name carries the program's id: a path cannot, because `__Host-` demands `Path=/`.
//! `entry_queue` decides who may write and read a pass; log-out only has to find them all.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time::Duration},
};
use uuid::Uuid;

/// Upper bound of passes a browser keeps.
pub const KEPT_MAX: usize = 8;
/// Upper bound of pass cookies read from one request.
const READ_MAX: usize = 64;

fn prefix(is_https: bool) -> &'static str {
    if is_https { "__Host-entry_pass_" } else { "entry_pass_" }
}

/// Returns the name of the cookie with the pass of `program_id`.
pub fn name(is_https: bool, program_id: Uuid) -> String {
    format!("{}{}", prefix(is_https), program_id.simple())
}

/// Returns a cookie named `name` that carries `pass` for `secs_left` seconds.
pub fn build(is_https: bool, name: String, pass: String, secs_left: i64) -> Cookie<'static> {
    Cookie::build(name, pass)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_https)
        .max_age(Duration::seconds(secs_left))
        .finish()
}

/// Lists names and values of the pass cookies in `request`.
pub fn shown(request: &HttpRequest, is_https: bool) -> Vec<(String, String)> {
    let Ok(cookies) = request.cookies() else { return Vec::new() };
    let is_pass = |name: &str| {
        let program_id = name.strip_prefix(prefix(is_https));
        program_id.is_some_and(|id| Uuid::try_parse(id).is_ok())
    };
    let passes = cookies.iter().filter(|cookie| is_pass(cookie.name())).take(READ_MAX);
    passes.map(|cookie| (cookie.name().to_owned(), cookie.value().to_owned())).collect()
}

/// Returns a cookie that removes the pass named `name`.
pub fn removal(is_https: bool, name: String) -> Cookie<'static> {
    let mut cookie = build(is_https, name, String::new(), 0);
    cookie.make_removal();
    cookie
}

/// Removes every pass that `request` carries from the browser.
pub fn remove_all(request: &HttpRequest, is_https: bool, response: &mut HttpResponse) {
    for (name, _) in shown(request, is_https) {
        // A name that was read from a header is a valid header value.
        let _ = response.add_cookie(&removal(is_https, name));
    }
}
