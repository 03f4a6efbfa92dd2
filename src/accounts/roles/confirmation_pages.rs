//! Confirmation pages: the password once more, before an action that cannot be undone, and for some
//! a code of the second factor.
//!
//! A session left open must not be enough to move points or to cancel a program. Handlers that
//! take a `ConfirmedAdmin` require the confirmation; `docs/SECURITY-EVENTS.md` lists them.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::{
        error::AccountError,
        log_in::{
            budget::LogInBudget,
            code_check::check_code,
            password_check::{CheckedPassword, PasswordCheck},
        },
        model::{Credentials, Password},
        pages::{Next, leading_back, parse_next},
        password::PasswordGate,
        second_factor::{self, model::SignInCode},
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
        error::PageError,
        form::{Body, Field, FormRefusal},
        local_path::LocalPath,
        page::View,
    },
};

/// Confirmation form as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["password"]))]
pub struct ConfirmationForm {
    /// Password.
    password: Field,
    /// Code of the app, or a recovery code; only where a code is asked for.
    code: Field,
    /// Path of this site that a browser is led to afterwards.
    next: Field,
}

#[derive(Template)]
#[template(path = "accounts/confirmation.html")]
struct ConfirmationPage {
    v: View,
    next: String,
    /// Whether a code is asked for, too.
    asks_code: bool,
    refusal: FormRefusal,
}

impl ConfirmationPage {
    /// Returns where the form is sent to.
    fn path(&self) -> &'static str {
        if self.asks_code { "/account/confirmation/code" } else { "/account/confirmation" }
    }
}

/// `GET /account/confirmation`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn new_confirmation(me: CurrentAccount, query: Query<Next>) -> HttpResponse {
    show(&me, &query, false)
}

/// `GET /account/confirmation/code`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn new_code_confirmation(me: CurrentAccount, query: Query<Next>) -> HttpResponse {
    show(&me, &query, true)
}

fn show(me: &CurrentAccount, query: &Next, asks_code: bool) -> HttpResponse {
    let (v, next, refusal) = (me.view.clone(), query.path(), FormRefusal::default());
    me.view.html(StatusCode::OK, &ConfirmationPage { v, next, asks_code, refusal })
}

/// `POST /account/confirmation`
pub async fn create_confirmation(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    me: CurrentAccount,
    Body(form): Body<ConfirmationForm>,
) -> Result<HttpResponse, PageError> {
    create(&app, &gate, &budget, &request, me, form, false).await
}

/// `POST /account/confirmation/code`
pub async fn create_code_confirmation(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    me: CurrentAccount,
    Body(form): Body<ConfirmationForm>,
) -> Result<HttpResponse, PageError> {
    create(&app, &gate, &budget, &request, me, form, true).await
}

/// Answer to a confirmation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfirmedDocument {
    /// Always true.
    confirmed: bool,
}

async fn create(
    app: &App,
    gate: &PasswordGate,
    budget: &LogInBudget,
    request: &HttpRequest,
    me: CurrentAccount,
    form: ConfirmationForm,
    asks_code: bool,
) -> Result<HttpResponse, PageError> {
    let check = PasswordCheck {
        app,
        gate,
        budget,
        client: client::address(request, &app.config.trusted_proxies),
        device: device_claim(request, app),
    };
    let code = asks_code.then(|| SignInCode::parse(form.code.text()));
    let outcome = confirm(&check, &me, form.password.sent(), code).await;
    // The form has no e-mail field, so the refusal must not mention one.
    let outcome = outcome.map_err(|refusal| match refusal {
        AccountError::WrongCredentials => AccountError::WrongPassword,
        other => other,
    });
    let path = if asks_code { "/account/confirmation/code" } else { "/account/confirmation" };
    let outcome = me.view.or_refusal(outcome.map_err(PageError::from));
    match outcome.map_err(|error| leading_back(error, path, form.next.text()))? {
        Ok(()) => {
            let next = LocalPath::or_start(form.next.text());
            Ok(me.view.done(StatusCode::OK, &ConfirmedDocument { confirmed: true }, next.as_str()))
        }
        Err(refusal) => {
            let next = parse_next(form.next.text());
            let page = ConfirmationPage { v: me.view, next, asks_code, refusal };
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}

/// Confirms the session with the password, and with a `code` if it is some: inside is `None` for
/// text that cannot be one.
#[expect(clippy::option_option, reason = "asked for and mistyped is not the same as not asked for")]
async fn confirm(
    check: &PasswordCheck<'_>,
    me: &CurrentAccount,
    password: &str,
    code: Option<Option<SignInCode>>,
) -> Result<(), AccountError> {
    let email = store::find_email(&check.app.db, me.account_id).await?;
    let email = email.as_deref().and_then(Email::parse);
    let credentials = email.zip(Password::typed(password));
    let Some((email, password)) = credentials else { return Err(check.refuse_nonsense()) };
    let failure = SecurityEvent::ConfirmationFailed;
    let checked = check.check(Credentials { email: email.clone(), password }, failure).await?;
    match code {
        None => write(check.app, me.session_id, &checked, None).await,
        Some(code) => {
            let code = code.ok_or(AccountError::WrongCode);
            let work = async { write(check.app, me.session_id, &checked, Some(&code?)).await };
            check_code(check, &email, work).await
        }
    }
}

/// Writes a confirmation with a checked password, and with a code if there is one.
async fn write(
    app: &App,
    session_id: Uuid,
    checked: &CheckedPassword,
    code: Option<&SignInCode>,
) -> Result<(), AccountError> {
    let mut tx = app.db.begin().await?;
    if !store::lock_with_password(&mut tx, checked.account_id, &checked.password_hash).await? {
        tx.rollback().await?;
        return Err(AccountError::WrongCredentials);
    }
    if let Some(code) = code {
        if !second_factor::accept(&mut tx, app, checked.account_id, code).await? {
            tx.rollback().await?;
            return Err(AccountError::WrongCode);
        }
        sessions::store::write_code_given(&mut tx, session_id).await?;
    }
    sessions::store::confirm(&mut tx, session_id).await?;
    Ok(tx.commit().await?)
}
