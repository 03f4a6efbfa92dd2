//! Log-in and log-out pages.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    budget::LogInBudget,
    guesses::AccountKey,
    password_check::PasswordCheck,
    second_step::pages::{ask_for_code, give_up},
};
use crate::{
    accounts::{
        model::{Credentials, Password},
        pages::{Next, device_of, leading_back, parse_next, welcome},
        password::PasswordGate,
        sessions::pages::current::{device_claim, end_session, removal_cookie},
        sign_up::{self, LogInOutcome},
    },
    app::App,
    text::email::Email,
    web::{
        client,
        cookies::pass_cookies,
        error::PageError,
        flash::with_message,
        form::{Body, Field, FormRefusal},
        page::{View, see_other},
    },
};

/// Page of the form.
const PATH: &str = "/login";

/// Log-in form as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["email", "password"]))]
pub struct LogInForm {
    /// Email address.
    email: Field,
    /// Password.
    password: Field,
    /// Path of this site that a browser is led to afterwards.
    next: Field,
}

impl LogInForm {
    /// Returns `None` for text that cannot be an address or a password; it is refused like a
    /// wrong password.
    fn parse(&self) -> Option<Credentials> {
        let email = Email::parse(self.email.text())?;
        Some(Credentials { email, password: Password::typed(self.password.sent())? })
    }
}

#[derive(Template)]
#[template(path = "accounts/login.html")]
struct LogInPage {
    v: View,
    email: String,
    next: String,
    refusal: FormRefusal,
}

/// `GET /login`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn new_session(v: View, query: Query<Next>) -> HttpResponse {
    let (email, refusal) = (String::new(), FormRefusal::default());
    let page = LogInPage { v, email, next: query.path(), refusal };
    page.v.html(StatusCode::OK, &page)
}

/// `POST /login`
pub async fn create_session(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    v: View,
    form: Body<LogInForm>,
) -> Result<HttpResponse, PageError> {
    let form = form.0;
    let check = PasswordCheck {
        app: &app,
        gate: &gate,
        budget: &budget,
        client: client::address(&request, &app.config.trusted_proxies),
        device: device_claim(&request, &app),
    };
    let outcome = match form.parse() {
        None => Err(check.refuse_nonsense()),
        Some(credentials) => {
            let account = AccountKey::of(&credentials.email);
            let device = device_of(&request);
            let logged_in = sign_up::log_in(&check, credentials, &device, v.locale).await;
            logged_in.map(|logged_in| (logged_in, account))
        }
    };
    let outcome = v.or_refusal(outcome.map_err(PageError::from));
    match outcome.map_err(|error| leading_back(error, PATH, form.next.text()))? {
        Ok((LogInOutcome::Opened(account_id, token), account)) => {
            let opened = (account_id, token);
            let next = (account, form.next.text());
            Ok(welcome(&app, (&request, &v), StatusCode::OK, opened, next).await)
        }
        Ok((LogInOutcome::Pending(token), _)) => {
            Ok(ask_for_code(&app, &v, &token, form.next.text()))
        }
        Err(refusal) => {
            let (email, next) = (form.email.text().to_owned(), parse_next(form.next.text()));
            let page = LogInPage { v, email, next, refusal };
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}

/// `POST /logout`
pub async fn delete_session(
    app: Data<App>,
    request: HttpRequest,
    v: View,
) -> Result<HttpResponse, PageError> {
    end_session(&request, &app).await?;
    let mut answer = match v.format.is_for_programs() {
        true => HttpResponse::NoContent().finish(),
        false => see_other("/"),
    };
    let _ = answer.add_cookie(&removal_cookie(&app));
    pass_cookies::remove_all(&request, app.config.is_https(), &mut answer);
    let answer = give_up(&app, &request, answer).await?;
    Ok(with_message(answer, "flash-logged-out"))
}
