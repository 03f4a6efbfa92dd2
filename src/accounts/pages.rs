//! Parts shared by the account pages: the `next` parameter, the browser's name, the
//! language switch, and the answer to a sign-up or log-in.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::Data,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    log_in::{device::KNOWN_DAYS, guesses::AccountKey},
    model::{AccountId, SessionToken},
    sessions::{
        device_name,
        pages::current::{CachedAccount, device_cookie, end_session, session_cookie},
    },
    store,
};
use crate::{
    app::App,
    web::{
        error::PageError,
        form::Body,
        language::{self, LanguageForm},
        local_path::{LocalPath, with_next},
        page::View,
    },
};

/// Query string of a page that leads on to another.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Next {
    #[serde(default)]
    next: String,
}

impl Next {
    /// Returns the local path to go on to; empty if the query has none.
    pub fn path(&self) -> String {
        parse_next(&self.next)
    }
}

/// Returns the local path that a form leads on to; empty for an empty `text`.
pub(crate) fn parse_next(text: &str) -> String {
    if text.is_empty() { String::new() } else { LocalPath::or_start(text).to_string() }
}

/// Returns the error with an error page that leads to the form at `path`, which leads on to `next`.
pub(crate) fn leading_back(error: impl Into<PageError>, path: &str, next: &str) -> PageError {
    let (error, next) = (error.into(), parse_next(next));
    match next.is_empty() {
        true => error,
        false => error.leading_to(with_next(path, &next)),
    }
}

/// `POST /language`: keeps the chosen language in a cookie, and for the mails of the account that
/// is signed in.
pub async fn update_language(
    app: Data<App>,
    me: Option<CachedAccount>,
    Body(form): Body<LanguageForm>,
) -> Result<HttpResponse, PageError> {
    let (locale, answer) = language::choose(&form)?;
    if let Some(me) = me
        && let Err(error) = store::write_locale(&app.db, me.account_id, locale).await
    {
        tracing::warn!(%error, "mails stay in the language that they had");
    }
    Ok(answer)
}

/// Returns the browser's name as the list of sessions shows it.
pub(crate) fn device_of(request: &HttpRequest) -> String {
    let agent = request.headers().get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    device_name(agent.unwrap_or_default())
}

/// Account that is signed in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WelcomeDocument {
    account_id: AccountId,
}

/// Builds the answer to a successful sign-up or log-in, with the session and device cookies. The session
/// that the browser had before ends.
pub(crate) async fn welcome(
    app: &App,
    (request, v): (&HttpRequest, &View),
    status: StatusCode,
    (account_id, token): (AccountId, SessionToken),
    (account, next): (AccountKey, &str),
) -> HttpResponse {
    if let Err(error) = end_session(request, app).await {
        tracing::warn!(%error, "a session ends with its time and not with the log-in after it");
    }
    let next = LocalPath::or_start(next);
    let mut answer = v.done(status, &WelcomeDocument { account_id }, next.as_str());
    // The cookie's value is base64 and always a valid header, so the error cannot occur.
    let _ = answer.add_cookie(&session_cookie(app, &token));
    if let Some(cookie) = device_cookie(app, account, KNOWN_DAYS) {
        let _ = answer.add_cookie(&cookie);
    }
    answer
}
