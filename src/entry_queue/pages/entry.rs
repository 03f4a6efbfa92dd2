//! The entry pass as a cookie.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time},
};

use crate::{
    accounts::AccountId,
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

/// The pass that `request` shows, if it shows one: signed here, not over, and of
/// `account_id` and `program`. One that is none of that is refused. Whether the stay of
/// which it speaks still lasts is for the live token to say.
pub fn shown_pass(
    request: &HttpRequest,
    app: &App,
    account_id: AccountId,
    program: &Program,
) -> Result<Option<EntryPass>, QueueError> {
    let Some(shown) = request.cookie(PASS_COOKIE) else { return Ok(None) };
    let pass = EntryPass::read(shown.value(), &app.signing_key, app.now());
    match pass.filter(|pass| pass.is_for(account_id, program.id)) {
        Some(pass) => Ok(Some(pass)),
        None => Err(QueueError::NotAdmitted { queue_url: queue_path(&program.slug) }),
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
