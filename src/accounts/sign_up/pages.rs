//! Sign-up pages.

use std::net::IpAddr;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    accounts::{
        error::AccountError,
        log_in::{budget::LogInBudget, guesses::AccountKey},
        model::{NewAccount, Password},
        name::Name,
        pages::{Next, device_of, leading_back, parse_next, welcome},
        password::{PasswordGate, rules::PasswordRefusal},
        sign_up,
    },
    app::App,
    infra::{
        network::Network,
        security_log::{ClientEvent, SecurityEvent},
    },
    text::{email::Email, i18n::Locale},
    web::{
        client,
        error::PageError,
        form::{Body, Field, FormRefusal, Mistakes},
        limits::Limits,
        page::View,
    },
};

/// Sign-up form as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["email", "name", "password"]))]
pub struct SignUpForm {
    /// Email address.
    email: Field,
    /// Name.
    name: Field,
    /// Password.
    password: Field,
    /// Path of this site that a browser is led to afterwards.
    next: Field,
}

impl SignUpForm {
    fn parse(&self, locale: Locale) -> Result<NewAccount, Mistakes> {
        let mut mistakes = Mistakes::default();
        let email =
            mistakes.note("email", "account-refusal-email", Email::parse(self.email.text()));
        let name = mistakes.note("name", "account-refusal-name", Name::parse(self.name.text()));
        let password = Password::chosen(self.password.sent(), email.as_ref(), name.as_ref());
        let refusal = password.as_ref().err().copied().unwrap_or(PasswordRefusal::Length);
        let password = mistakes.note("password", refusal.text_key(), password.ok());
        let parsed = email.zip(name).zip(password);
        mistakes.or(parsed.map(|((email, name), password)| NewAccount {
            email,
            name,
            password,
            locale,
            next_path: Some(parse_next(self.next.text())).filter(|next| !next.is_empty()),
        }))
    }
}

#[derive(Template)]
#[template(path = "accounts/signup.html")]
struct SignUpPage {
    v: View,
    email: String,
    name: String,
    next: String,
    refusal: FormRefusal,
}

/// `GET /signup`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn new_account(v: View, query: Query<Next>) -> HttpResponse {
    let page = SignUpPage {
        v: v.clone(),
        email: String::new(),
        name: String::new(),
        next: query.path(),
        refusal: FormRefusal::default(),
    };
    v.html(StatusCode::OK, &page)
}

/// `POST /signup`
pub async fn create_account(
    app: Data<App>,
    gate: Data<PasswordGate>,
    limits: Data<Limits>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    v: View,
    Body(form): Body<SignUpForm>,
) -> Result<HttpResponse, PageError> {
    let address = client::address(&request, &app.config.trusted_proxies);
    let network = Network::of(address);
    let signed_up = async {
        let new = form.parse(v.locale)?;
        let account = AccountKey::of(&new.email);
        let allowed = limits.signup.count(&network).and_then(|()| budget.check_taken(network));
        allowed.map_err(AccountError::from)?;
        let device = device_of(&request);
        Ok((sign_up::sign_up(&app, &gate, network, new, &device).await?, account))
    }
    .await;
    if let Err(refusal) = &signed_up {
        note_refusal(&app, &budget, address, refusal);
    }
    let signed_up = v.or_refusal(signed_up);
    match signed_up.map_err(|error| leading_back(error, "/signup", form.next.text()))? {
        Ok((signed_up, account)) => {
            let next = form.next.text();
            Ok(welcome(&app, (&request, &v), StatusCode::CREATED, signed_up, (account, next)).await)
        }
        Err(refusal) => {
            let (email, name) = (form.email.text().to_owned(), form.name.text().to_owned());
            let next = parse_next(form.next.text());
            let page = SignUpPage { v, email, name, next, refusal };
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}

/// Counts a refusal because of an address that has an account, and records one because of a limit.
fn note_refusal(app: &App, budget: &LogInBudget, client: IpAddr, refusal: &PageError) {
    if let Some(AccountError::EmailTaken) = refusal.find() {
        budget.count_taken(Network::of(client));
    }
    if refusal.inner().status() == StatusCode::TOO_MANY_REQUESTS {
        app.security_log.record(&ClientEvent {
            event: SecurityEvent::SignUpThrottled,
            client,
            account_id: None,
            email_hash: None,
            by: None,
        });
    }
}
