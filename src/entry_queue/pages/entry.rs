//! Entry pass as a cookie.

use std::cmp::Reverse;

use actix_web::{HttpRequest, HttpResponse, cookie::Cookie};

use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, ProgramId},
    entry_queue::{entry_pass::EntryPass, error::QueueError, model::Stay, paths::queue_path},
    web::cookies::pass_cookies::{self, KEPT_MAX},
};

/// Returns the cookies that hand the entry pass of `stay` to the browser of `request`: the pass,
/// and the removal of expired passes and, where there are more than [`KEPT_MAX`], of the passes
/// that end first.
pub fn pass_cookies(app: &App, request: &HttpRequest, stay: &Stay) -> Vec<Cookie<'static>> {
    let is_https = app.config.is_https();
    let own = pass_cookies::name(is_https, stay.program_id.0);
    let ends_at = |text: &str| {
        let pass = EntryPass::read(text, &app.signing_key, app.now());
        pass.map(|pass| pass.ends_at())
    };
    let shown = pass_cookies::shown(request, is_https).into_iter();
    let others = shown.filter(|(name, _)| *name != own);
    let mut others: Vec<_> = others.map(|(name, text)| (ends_at(&text), name)).collect();
    others.sort_by_key(|(ends_at, _)| Reverse(*ends_at));
    let n_kept = others.iter().take(KEPT_MAX - 1).filter(|(ends_at, _)| ends_at.is_some()).count();
    let removed = others.drain(n_kept..).map(|(_, name)| pass_cookies::removal(is_https, name));
    let text = EntryPass::of(stay).sign(&app.signing_key).unwrap_or_default();
    let secs_left = (stay.expires_at - app.now()).num_seconds().max(0);
    let pass = pass_cookies::build(is_https, own, text, secs_left);
    std::iter::once(pass).chain(removed).collect()
}

/// Whether `request` shows a pass for the program `id`, good or not.
pub(crate) fn has_pass(app: &App, request: &HttpRequest, id: ProgramId) -> bool {
    request.cookie(&pass_cookies::name(app.config.is_https(), id.0)).is_some()
}

/// Returns the pass for `program` that `request` shows: signed by this deployment, not expired, and
/// of `account_id`. A pass of another program counts as none, and so does one that has ended; any other is refused with
/// [`QueueError::NotAdmitted`]. Whether the stay lasts is decided by the live token.
pub fn shown_pass(
    request: &HttpRequest,
    app: &App,
    account_id: AccountId,
    program: &Program,
) -> Result<Option<EntryPass>, QueueError> {
    let name = pass_cookies::name(app.config.is_https(), program.id.0);
    let Some(shown) = request.cookie(&name) else { return Ok(None) };
    match EntryPass::read_signed(shown.value(), &app.signing_key) {
        Some(pass) if !pass.is_of(program.id) => Ok(None),
        Some(pass) if pass.is_for(account_id, program.id) => {
            Ok(Some(pass).filter(|pass| !pass.has_ended(app.now())))
        }
        _ => Err(QueueError::NotAdmitted { queue_url: queue_path(&program.slug) }),
    }
}

/// Sets the cookies of the pass of `stay`.
pub(crate) fn hand_out(app: &App, request: &HttpRequest, response: &mut HttpResponse, stay: &Stay) {
    for cookie in pass_cookies(app, request, stay) {
        set(response, &cookie);
    }
}

/// Removes the pass of `program_id` from the browser.
pub(crate) fn take_away(app: &App, response: &mut HttpResponse, program_id: ProgramId) {
    let is_https = app.config.is_https();
    let name = pass_cookies::name(is_https, program_id.0);
    set(response, &pass_cookies::removal(is_https, name));
}

fn set(response: &mut HttpResponse, cookie: &Cookie<'_>) {
    if let Err(error) = response.add_cookie(cookie) {
        tracing::error!(%error, "a cookie could not be set");
    }
}
