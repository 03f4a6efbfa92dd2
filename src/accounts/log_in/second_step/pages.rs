//! Pages of a log-in's second step: the code, and the cookie of the pending log-in.

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time},
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PENDING_SECS;
use crate::{
    accounts::{
        error::AccountError,
        log_in::{
            budget::LogInBudget, guesses::AccountKey, password_check::PasswordCheck, second_step,
        },
        model::SessionToken,
        pages::{Next, leading_back, parse_next, welcome},
        password::PasswordGate,
        second_factor::model::SignInCode,
        sessions::pages::current::device_claim,
        sign_up::{keep_locale, session_days},
    },
    app::App,
    text::email::Email,
    web::{
        client,
        error::PageError,
        form::{Body, Field, FormRefusal},
        local_path::with_next,
        page::{View, see_other},
    },
};

/// Path of the page that asks for the code.
const PATH: &str = "/login/code";
/// Page on which a log-in begins.
const LOG_IN: &str = "/login";

#[derive(Template)]
#[template(path = "accounts/code.html")]
struct CodePage {
    v: View,
    next: String,
    refusal: FormRefusal,
}

fn cookie_name(app: &App) -> &'static str {
    if app.config.is_https() { "__Host-log-in" } else { "log-in" }
}

fn token_of(request: &HttpRequest, app: &App) -> Option<SessionToken> {
    SessionToken::decode(request.cookie(cookie_name(app))?.value())
}

/// Answer to a log-in that waits for its second step.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PendingDocument {
    /// Always true: a code is asked for at `/login/code`.
    code_required: bool,
}

/// Answers a right password of an account with a second factor: leads to the page that asks for the
/// code.
pub(crate) fn ask_for_code(app: &App, v: &View, token: &SessionToken, next: &str) -> HttpResponse {
    let next = parse_next(next);
    let page = if next.is_empty() { PATH.to_owned() } else { with_next(PATH, &next) };
    let mut answer = v.done(StatusCode::ACCEPTED, &PendingDocument { code_required: true }, &page);
    let cookie = Cookie::build(cookie_name(app), token.encode())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.config.is_https())
        .max_age(time::Duration::seconds(i64::from(PENDING_SECS)));
    // The cookie's value is base64 and always a valid header, so the error cannot occur.
    let _ = answer.add_cookie(&cookie.finish());
    answer
}

/// Ends the pending log-in of a browser that logs out, if it has one.
pub async fn give_up(
    app: &App,
    request: &HttpRequest,
    answer: HttpResponse,
) -> Result<HttpResponse, sqlx::Error> {
    let Some(token) = token_of(request, app) else { return Ok(answer) };
    second_step::give_up(app, &token).await?;
    Ok(without_cookie(app, answer))
}

/// Removes the cookie of a log-in that is over.
fn without_cookie(app: &App, mut answer: HttpResponse) -> HttpResponse {
    let mut cookie =
        Cookie::build(cookie_name(app), "").path("/").secure(app.config.is_https()).finish();
    cookie.make_removal();
    let _ = answer.add_cookie(&cookie);
    answer
}

/// `GET /login/code`
pub async fn new_code(
    app: Data<App>,
    request: HttpRequest,
    v: View,
    query: Query<Next>,
) -> Result<HttpResponse, PageError> {
    let pending = match token_of(&request, &app) {
        Some(token) => second_step::find(&app, &token).await?,
        None => None,
    };
    let next = query.path();
    if pending.is_none() {
        let is_bare = next.is_empty();
        return Ok(see_other(&if is_bare { LOG_IN.to_owned() } else { with_next(LOG_IN, &next) }));
    }
    let page = CodePage { v: v.clone(), next, refusal: FormRefusal::default() };
    Ok(v.html(StatusCode::OK, &page))
}

/// Form with the code as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["code"]))]
pub struct CodeForm {
    /// Code of the app, or a recovery code.
    code: Field,
    /// Path of this site that a browser is led to afterwards.
    next: Field,
}

/// `POST /login/code`
pub async fn create_session(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    v: View,
    Body(form): Body<CodeForm>,
) -> Result<HttpResponse, PageError> {
    let check = PasswordCheck {
        app: &app,
        gate: &gate,
        budget: &budget,
        client: client::address(&request, &app.config.trusted_proxies),
        device: device_claim(&request, &app),
    };
    let over = |error: PageError| leading_back(error, LOG_IN, form.next.text());
    let token = token_of(&request, &app).ok_or_else(|| over(AccountError::LogInOver.into()))?;
    let code = SignInCode::parse(form.code.text());
    let finished = second_step::finish(&check, &token, code.as_ref(), session_days(&app)).await;
    let finished = v.or_refusal(finished.map_err(PageError::from));
    match finished.map_err(|error| leading_back(error, PATH, form.next.text()))? {
        Ok((pending, session)) => {
            keep_locale(&app, pending.account_id, v.locale).await;
            let email = Email::parse(&pending.email).ok_or(AccountError::LogInOver)?;
            let (opened, account) = ((pending.account_id, session), AccountKey::of(&email));
            let next = (account, form.next.text());
            let answer = welcome(&app, (&request, &v), StatusCode::OK, opened, next).await;
            Ok(without_cookie(&app, answer))
        }
        Err(refusal) if matches!(refusal.find(), Some(AccountError::LogInOver)) => {
            Err(over(refusal.into()))
        }
        Err(refusal) => {
            let page = CodePage { v, next: parse_next(form.next.text()), refusal };
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}
