//! Sign-up, log-in, log-out.

pub mod current;
pub mod staff;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use serde::Deserialize;
use serde_json::json;

use super::{
    error::AccountError,
    model::{AccountId, Credentials, Email, Name, NewAccount, Password, SessionToken},
    password::PasswordGate,
    service, store,
};
use crate::{
    app::App,
    web::{
        client,
        error::{Fault, PageError, database_fault},
        flash,
        form::{Body, Field, Mistakes},
        limits::Limits,
        page::{View, local_path, login_href, see_other},
        pass_cookies,
    },
};
use current::{SessionCache, removal_cookie, session_cookie, token_of};

impl Fault for AccountError {
    fn status(&self) -> StatusCode {
        match self {
            Self::LoginRequired | Self::WrongCredentials => StatusCode::UNAUTHORIZED,
            Self::Locked | Self::Forbidden => StatusCode::FORBIDDEN,
            Self::EmailTaken | Self::OwnAccount | Self::Rehearsed | Self::Stale => {
                StatusCode::CONFLICT
            }
            Self::RateLimited(limited) => limited.status(),
            Self::Hashing(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Database(error) => database_fault(error).0,
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
            Self::RateLimited(limited) => limited.code(),
            Self::Hashing(_) => "internal",
            Self::Database(error) => database_fault(error).1,
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self {
            Self::RateLimited(limited) => limited.retry_after_secs(),
            _ => None,
        }
    }

    fn redirect(&self, view: &View) -> Option<String> {
        matches!(self, Self::LoginRequired).then(|| login_href(&view.path))
    }
}

#[derive(Debug, Default, Deserialize)]
/// The query of a page that leads on.
pub struct Next {
    #[serde(default)]
    next: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
/// A sign-up as it was typed.
pub struct SignUpForm {
    email: Field,
    name: Field,
    password: Field,
    next: Field,
}

impl SignUpForm {
    fn parse(&self) -> Result<NewAccount, Mistakes> {
        let mut mistakes = Mistakes::default();
        let email =
            mistakes.note("email", "account-refusal-email", Email::parse(self.email.text()));
        let name = mistakes.note("name", "account-refusal-name", Name::parse(self.name.text()));
        let password = Password::chosen(self.password.raw());
        let password = mistakes.note("password", "account-refusal-password", password);
        let parsed = email.zip(name).zip(password);
        mistakes.or(parsed.map(|((email, name), password)| NewAccount { email, name, password }))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
/// A log-in as it was typed.
pub struct LogInForm {
    email: Field,
    password: Field,
    next: Field,
}

impl LogInForm {
    /// What cannot be an address or a password belongs to nobody.
    fn parse(&self) -> Option<Credentials> {
        let email = Email::parse(self.email.text())?;
        Some(Credentials { email, password: Password::typed(self.password.raw())? })
    }
}

#[derive(Template)]
#[template(path = "accounts/signup.html")]
struct SignUpPage {
    v: View,
    email: String,
    name: String,
    next: String,
    mistakes: Mistakes,
    refusal: Option<String>,
}

#[derive(Template)]
#[template(path = "accounts/login.html")]
struct LogInPage {
    v: View,
    email: String,
    next: String,
    refusal: Option<String>,
}

/// `GET /signup`
pub async fn new_account(v: View, query: Query<Next>) -> HttpResponse {
    let next = query.into_inner().next;
    let page = SignUpPage {
        v: v.clone(),
        email: String::new(),
        name: String::new(),
        next,
        mistakes: Mistakes::default(),
        refusal: None,
    };
    v.html(StatusCode::OK, &page)
}

/// `POST /signup`
pub async fn create_account(
    app: Data<App>,
    gate: Data<PasswordGate>,
    limits: Data<Limits>,
    request: HttpRequest,
    v: View,
    form: Body<SignUpForm>,
) -> Result<HttpResponse, PageError> {
    let form = form.0;
    let refuse = |fault: &dyn Fault, mistakes: Mistakes| {
        let page = SignUpPage {
            v: v.clone(),
            email: form.email.text().to_owned(),
            name: form.name.text().to_owned(),
            next: form.next.text().to_owned(),
            mistakes,
            refusal: Some(v.refusal(fault)),
        };
        v.html(fault.status(), &page)
    };
    let new = match form.parse() {
        Ok(new) => new,
        Err(mistakes) if v.wants_form(&mistakes) => return Ok(refuse(&mistakes, mistakes.clone())),
        Err(mistakes) => return Err(mistakes.into()),
    };
    let address = client::address(&request, &app.config.trusted_proxies);
    let outcome = match limits.signup.count(&address) {
        Ok(()) => service::sign_up(&app, &gate, new).await,
        Err(limited) => Err(limited.into()),
    };
    match outcome {
        Ok((account_id, token)) => {
            Ok(welcome(&app, &v, StatusCode::CREATED, account_id, &token, form.next.text()))
        }
        Err(refusal) if v.wants_form(&refusal) => Ok(refuse(&refusal, Mistakes::default())),
        Err(failure) => Err(failure.into()),
    }
}

/// `GET /login`
pub async fn new_session(v: View, query: Query<Next>) -> HttpResponse {
    let next = query.into_inner().next;
    let page = LogInPage { v: v.clone(), email: String::new(), next, refusal: None };
    v.html(StatusCode::OK, &page)
}

/// `POST /login`
pub async fn create_session(
    app: Data<App>,
    gate: Data<PasswordGate>,
    limits: Data<Limits>,
    request: HttpRequest,
    v: View,
    form: Body<LogInForm>,
) -> Result<HttpResponse, PageError> {
    let form = form.0;
    let address = client::address(&request, &app.config.trusted_proxies);
    let counted = limits.login.count(&(address, form.email.text().to_lowercase()));
    let outcome = match (counted, form.parse()) {
        (Err(limited), _) => Err(limited.into()),
        (Ok(()), None) => Err(AccountError::WrongCredentials),
        (Ok(()), Some(credentials)) => service::log_in(&app, &gate, credentials).await,
    };
    match outcome {
        Ok((account_id, token)) => {
            Ok(welcome(&app, &v, StatusCode::OK, account_id, &token, form.next.text()))
        }
        Err(refusal) if v.wants_form(&refusal) => {
            let page = LogInPage {
                v: v.clone(),
                email: form.email.text().to_owned(),
                next: form.next.text().to_owned(),
                refusal: Some(v.refusal(&refusal)),
            };
            Ok(v.html(refusal.status(), &page))
        }
        Err(failure) => Err(failure.into()),
    }
}

/// `POST /logout`
pub async fn delete_session(
    app: Data<App>,
    sessions: Data<SessionCache>,
    request: HttpRequest,
    v: View,
) -> Result<HttpResponse, PageError> {
    if let Some(token) = token_of(&request, &app) {
        store::delete_session(&app.db, &token.hash()).await?;
        sessions.forget(&token).await;
    }
    let mut answer = match v.format.is_for_programs() {
        true => HttpResponse::NoContent().finish(),
        false => see_other("/"),
    };
    let _ = answer.add_cookie(&removal_cookie(&app));
    pass_cookies::remove_all(&request, app.config.is_https(), &mut answer);
    let _ = answer.add_cookie(&flash::cookie("flash-logged-out"));
    Ok(answer)
}

fn welcome(
    app: &App,
    v: &View,
    status: StatusCode,
    account_id: AccountId,
    token: &SessionToken,
    next: &str,
) -> HttpResponse {
    let mut answer = v.done(status, &json!({ "account_id": account_id }), local_path(next));
    // A cookie of ours always is a valid header.
    let _ = answer.add_cookie(&session_cookie(app, token));
    answer
}
