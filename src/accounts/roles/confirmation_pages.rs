//! Confirmation pages: the password once more, before an action that cannot be undone.
//!
//! A session left open must not be enough to move points or to cancel a program. Handlers that
//! take a `ConfirmedAdmin` require the confirmation; `docs/SECURITY-EVENTS.md` lists them.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use serde::Deserialize;
use serde_json::json;

use crate::{
    accounts::{
        error::AccountError,
        log_in::{budget::LogInBudget, password_check::PasswordCheck},
        model::{Credentials, Password},
        pages::{Next, parse_next},
        password::PasswordGate,
        sessions::{
            self,
            pages::current::{CurrentAccount, device_claim},
        },
        store,
    },
    app::App,
    infra::security_log::SecurityEvent,
    text::email::Email,
    web::{
        client,
        error::{HttpError, PageError},
        form::{Body, Field},
        local_path::LocalPath,
        page::View,
    },
};

/// Confirmation form as typed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ConfirmationForm {
    password: Field,
    next: Field,
}

#[derive(Template)]
#[template(path = "accounts/confirmation.html")]
struct ConfirmationPage {
    v: View,
    next: String,
    refusal: Option<String>,
}

/// `GET /account/confirmation`
pub(crate) async fn new_confirmation(me: CurrentAccount, query: Query<Next>) -> HttpResponse {
    let page = ConfirmationPage { v: me.view.clone(), next: query.path(), refusal: None };
    me.view.html(StatusCode::OK, &page)
}

/// `POST /account/confirmation`
pub(crate) async fn create_confirmation(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    me: CurrentAccount,
    form: Body<ConfirmationForm>,
) -> Result<HttpResponse, PageError> {
    let form = form.0;
    let check = PasswordCheck {
        app: &app,
        gate: &gate,
        budget: &budget,
        client: client::address(&request, &app.config.trusted_proxies),
        device: device_claim(&request, &app),
    };
    let outcome = confirm(&check, &me, form.password.raw()).await;
    // The form has no e-mail field, so the refusal must not mention one.
    let outcome = outcome.map_err(|refusal| match refusal {
        AccountError::WrongCredentials => AccountError::WrongPassword,
        other => other,
    });
    match outcome {
        Ok(()) => {
            let next = LocalPath::or_start(form.next.text());
            Ok(me.view.done(StatusCode::OK, &json!({ "confirmed": true }), next.as_str()))
        }
        Err(refusal) if me.view.wants_form(&refusal) => {
            let page = ConfirmationPage {
                v: me.view.clone(),
                next: parse_next(form.next.text()),
                refusal: Some(me.view.refusal(&refusal)),
            };
            Ok(me.view.html(refusal.status(), &page))
        }
        Err(failure) => Err(failure.into()),
    }
}

async fn confirm(
    check: &PasswordCheck<'_>,
    me: &CurrentAccount,
    password: &str,
) -> Result<(), AccountError> {
    let email = store::find_email(&check.app.db, me.account_id).await?;
    let email = email.as_deref().and_then(Email::parse);
    let credentials = email.zip(Password::typed(password));
    let Some((email, password)) = credentials else { return Err(check.refuse_nonsense()) };
    let failure = SecurityEvent::ConfirmationFailed;
    let checked = check.check(Credentials { email, password }, failure).await?;
    let mut tx = check.app.db.begin().await?;
    if !store::lock_with_password(&mut tx, checked.account_id, &checked.password_hash).await? {
        tx.rollback().await?;
        return Err(AccountError::WrongCredentials);
    }
    sessions::store::confirm(&mut tx, me.session_id).await?;
    Ok(tx.commit().await?)
}
