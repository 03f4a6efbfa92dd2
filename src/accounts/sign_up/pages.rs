//! Sign-up pages.

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
        pages::{Next, device_of, parse_next, welcome},
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
        error::{HttpError, PageError},
        form::{Body, Field, Mistakes},
        limits::Limits,
        page::View,
    },
};

/// Sign-up form as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["email", "name", "password"]))]
pub(crate) struct SignUpForm {
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
    mistakes: Mistakes,
    refusal: Option<String>,
}

/// `GET /signup`
pub(crate) async fn new_account(v: View, query: Query<Next>) -> HttpResponse {
    let page = SignUpPage {
        v: v.clone(),
        email: String::new(),
        name: String::new(),
        next: query.path(),
        mistakes: Mistakes::default(),
        refusal: None,
    };
    v.html(StatusCode::OK, &page)
}

/// `POST /signup`
pub(crate) async fn create_account(
    app: Data<App>,
    gate: Data<PasswordGate>,
    limits: Data<Limits>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    v: View,
    form: Body<SignUpForm>,
) -> Result<HttpResponse, PageError> {
    let form = form.0;
    let refuse = |error: &dyn HttpError, mistakes: Mistakes| {
        let page = SignUpPage {
            v: v.clone(),
            email: form.email.text().to_owned(),
            name: form.name.text().to_owned(),
            next: parse_next(form.next.text()),
            mistakes,
            refusal: Some(v.refusal(error)),
        };
        v.html(error.status(), &page)
    };
    let new = match form.parse(v.locale) {
        Ok(new) => new,
        Err(mistakes) if v.wants_form(&mistakes) => return Ok(refuse(&mistakes, mistakes.clone())),
        Err(mistakes) => return Err(mistakes.into()),
    };
    let address = client::address(&request, &app.config.trusted_proxies);
    let (network, account) = (Network::of(address), AccountKey::of(&new.email));
    let allowed = limits.signup.count(&network).and_then(|()| budget.check_taken(network));
    let outcome = match allowed {
        Ok(()) => sign_up::sign_up(&app, &gate, network, new, &device_of(&request)).await,
        Err(limited) => Err(limited.into()),
    };
    if matches!(outcome, Err(AccountError::EmailTaken)) {
        budget.count_taken(network);
    }
    match outcome {
        Ok(signed_up) => {
            let next = form.next.text();
            Ok(welcome(&app, (&request, &v), StatusCode::CREATED, signed_up, (account, next)).await)
        }
        Err(refusal) => {
            if refusal.status() == StatusCode::TOO_MANY_REQUESTS {
                app.security_log.record(&ClientEvent {
                    event: SecurityEvent::SignUpThrottled,
                    client: address,
                    account_id: None,
                    email_hash: None,
                    by: None,
                });
            }
            match v.wants_form(&refusal) {
                true => Ok(refuse(&refusal, Mistakes::default())),
                false => Err(refusal.into()),
            }
        }
    }
}
