//! The entry pass as a cookie.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time},
};

use crate::{
    app::App,
    catalog::Program,
    entry_queue::{
        error::QueueError,
        model::{Stay, queue_path},
        pass::EntryPass,
    },
};

/// The cookie that holds the entry pass.
const PASS_COOKIE: &str = "entry_pass";

/// The entry pass of `stay`, for the browser of whoever is inside.
pub fn pass_cookie(app: &App, stay: &Stay) -> Cookie<'static> {
    let text = EntryPass::of(stay).sign(&app.signing_key).unwrap_or_default();
    let secs_left = (stay.expires_at - app.now()).num_seconds().max(0);
    Cookie::build(PASS_COOKIE, text)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.config.is_https())
        .max_age(time::Duration::seconds(secs_left))
        .finish()
}

/// Compares the pass in `request` with the live `stay`: one that is forged, over or of
/// another stay is refused. For a browser that holds none, gives the cookie to set.
pub fn check_pass(
    request: &HttpRequest,
    app: &App,
    stay: &Stay,
    program: &Program,
) -> Result<Option<Cookie<'static>>, QueueError> {
    let Some(shown) = request.cookie(PASS_COOKIE) else {
        return Ok(Some(pass_cookie(app, stay)));
    };
    let pass = EntryPass::read(shown.value(), &app.signing_key, app.now());
    match pass.is_some_and(|pass| pass.admits(stay)) {
        true => Ok(None),
        false => Err(QueueError::NotAdmitted { queue_url: queue_path(&program.slug) }),
    }
}

/// Hands out the pass of `stay`.
pub(super) fn hand_out(app: &App, response: &mut HttpResponse, stay: &Stay) {
    set(response, &pass_cookie(app, stay));
}

/// Takes the pass away from the browser.
pub(super) fn take_away(response: &mut HttpResponse) {
    let mut cookie = Cookie::build(PASS_COOKIE, "").path("/").finish();
    cookie.make_removal();
    set(response, &cookie);
}

fn set(response: &mut HttpResponse, cookie: &Cookie<'_>) {
    if let Err(error) = response.add_cookie(cookie) {
        tracing::error!(%error, "a cookie could not be set");
    }
}
