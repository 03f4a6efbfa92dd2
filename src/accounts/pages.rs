//! Parts shared by the account pages: error mapping, the way on, and the answer after signing
//! in.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
};
use serde::Deserialize;
use serde_json::json;

use super::{
    error::AccountError,
    log_in::{device::KNOWN_DAYS, guesses::AccountKey},
    model::{AccountId, SessionToken},
    paths,
    sessions::{
        device_name,
        pages::current::{device_cookie, session_cookie},
    },
};
use crate::{
    app::App,
    web::{
        error::{HttpError, database_error},
        local_path::LocalPath,
        page::{View, login_href},
    },
};

impl HttpError for AccountError {
    fn status(&self) -> StatusCode {
        match self {
            Self::LoginRequired | Self::WrongCredentials => StatusCode::UNAUTHORIZED,
            Self::Locked | Self::Forbidden | Self::ConfirmationRequired => StatusCode::FORBIDDEN,
            Self::WrongPassword => StatusCode::UNPROCESSABLE_ENTITY,
            Self::EmailTaken | Self::OwnAccount | Self::Rehearsed | Self::Stale => {
                StatusCode::CONFLICT
            }
            Self::RateLimited(limited) | Self::Crowded(limited) => limited.status(),
            Self::Hashing(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Database(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::LoginRequired => "login-required",
            Self::WrongCredentials => "wrong-credentials",
            Self::Forbidden => "forbidden",
            Self::Locked => "account-locked",
            Self::OwnAccount => "own-account",
            Self::Rehearsed => "rehearsed",
            Self::Stale => "changed-meanwhile",
            Self::EmailTaken => "email-taken",
            Self::RateLimited(limited) | Self::Crowded(limited) => limited.code(),
            Self::ConfirmationRequired => "confirmation-required",
            Self::WrongPassword => "wrong-password",
            Self::Hashing(_) => "internal",
            Self::Database(error) => database_error(error).1,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self {
            Self::RateLimited(limited) | Self::Crowded(limited) => limited.retry_after_secs(),
            _ => None,
        }
    }

    fn redirect(&self, path: &str) -> Option<String> {
        match self {
            Self::LoginRequired => Some(login_href(path)),
            Self::ConfirmationRequired => Some(paths::href(path)),
            _ => None,
        }
    }
}

/// Query string of a page that leads on to another.
#[derive(Debug, Default, Deserialize)]
pub struct Next {
    #[serde(default)]
    next: String,
}

impl Next {
    /// Returns the local path to go on to; empty if the query has none.
    pub(crate) fn path(&self) -> String {
        parse_next(&self.next)
    }
}

/// Returns the local path that a form leads on to; empty for an empty `text`.
pub(crate) fn parse_next(text: &str) -> String {
    if text.is_empty() { String::new() } else { LocalPath::or_start(text).to_string() }
}

/// Returns the browser's name as the list of sessions shows it.
pub(crate) fn device_of(request: &HttpRequest) -> String {
    let agent = request.headers().get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    device_name(agent.unwrap_or_default())
}

/// Builds the answer to a successful sign-up or log-in, with the session and device cookies.
pub(crate) fn welcome(
    app: &App,
    v: &View,
    status: StatusCode,
    (account_id, token): (AccountId, SessionToken),
    (account, next): (AccountKey, &str),
) -> HttpResponse {
    let next = LocalPath::or_start(next);
    let mut answer = v.done(status, &json!({ "account_id": account_id }), next.as_str());
    // The cookie's value is base64 and always a valid header, so the error cannot occur.
    let _ = answer.add_cookie(&session_cookie(app, &token));
    if let Some(cookie) = device_cookie(app, account, KNOWN_DAYS) {
        let _ = answer.add_cookie(&cookie);
    }
    answer
}
