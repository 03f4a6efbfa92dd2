//! Pages of the owner's second factor: set-up, recovery codes, removal.

use std::fmt;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use chrono::{DateTime, Utc};
use qrcode::{Color, EcLevel, QrCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Offer,
    model::{RecoveryCode, SignInCode},
    store::{self, SecondFactor},
};
use crate::{
    accounts::{
        error::AccountError,
        log_in::{budget::LogInBudget, code_check::check_code, password_check::PasswordCheck},
        model::Role,
        pages::{Next, leading_back, parse_next},
        password::PasswordGate,
        profile, second_factor,
        sessions::pages::{
            current::{CurrentAccount, SessionCache, device_claim},
            forget,
        },
    },
    app::App,
    text::email::Email,
    web::{
        client,
        error::{Internal, NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal},
        page::{Empty, View, json},
    },
};

/// Path of the page, to which its forms lead back.
const PATH: &str = "/account/second-factor";

/// QR code as squares of one path, in a box of `side` units.
struct Drawing {
    side: usize,
    path: String,
}

impl Drawing {
    /// Draws `text`; `None` if it is too long.
    fn of(text: &str) -> Option<Self> {
        /// Light squares around the code, which cameras need.
        const QUIET: usize = 4;
        let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
        let (width, colors) = (code.width(), code.to_colors());
        let dark = colors.iter().enumerate().filter(|(_, color)| **color == Color::Dark);
        let path = dark
            .map(|(idx, _)| format!("M{} {}h1v1h-1z", idx % width + QUIET, idx / width + QUIET));
        Some(Self { side: width + 2 * QUIET, path: path.collect() })
    }
}

#[derive(Template)]
#[template(path = "accounts/second_factor_setup.html")]
struct SetUpPage {
    v: View,
    sealed: String,
    secret: String,
    uri: String,
    drawing: Drawing,
    /// Whether the account may do nothing else before.
    is_needed: bool,
    /// Where the set-up leads on to; empty: nowhere.
    next: String,
    refusal: FormRefusal,
}

impl SetUpPage {
    fn of(me: CurrentAccount, email: &str, offer: &Offer, next: String) -> Option<Self> {
        let uri = offer.secret.uri(email, me.view.office.name());
        let (drawing, secret) = (Drawing::of(&uri)?, offer.secret.grouped());
        let sealed = BASE64_URL_SAFE_NO_PAD.encode(&offer.sealed);
        let (v, is_needed) = (me.view, me.needs_factor);
        Some(Self {
            v,
            sealed,
            secret,
            uri,
            drawing,
            is_needed,
            next,
            refusal: FormRefusal::default(),
        })
    }
}

#[derive(Template)]
#[template(path = "accounts/second_factor.html")]
struct SecondFactorPage {
    v: View,
    factor: SecondFactor,
}

#[derive(Template)]
#[template(path = "accounts/recovery_codes.html")]
struct RecoveryCodesPage {
    v: View,
    codes: Vec<String>,
    /// Where the page leads on to.
    next: String,
}

/// Second factor of the account, or an offer to set one up.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FactorDocument {
    /// When it was set; null: it is offered.
    set_at: Option<DateTime<Utc>>,
    /// Recovery codes that were not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_codes_left: Option<i64>,
    /// The offer, to be sent back with a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    sealed: Option<String>,
    /// The secret, for an app that is typed into.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// The secret, as apps read it from a QR code.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
}

/// `GET /account/second-factor`
pub async fn show_factor(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<Next>,
) -> Result<HttpResponse, PageError> {
    if let Some(factor) = store::find(&app.db, me.account_id).await? {
        let document = FactorDocument {
            set_at: Some(factor.set_at),
            recovery_codes_left: Some(factor.codes_left),
            ..FactorDocument::default()
        };
        let page = SecondFactorPage { v: me.view, factor };
        return Ok(page.v.show(&page, &document));
    }
    if me.role == Role::Customer {
        return Err(NotFound.into());
    }
    // Before a secret is shown: it would be another one after the detour.
    me.require_password()?;
    let details = profile::find(&app, me.account_id).await?.ok_or(NotFound)?;
    let offer = second_factor::offer(&app, me.account_id).ok_or(Internal)?;
    let page = SetUpPage::of(me, &details.email, &offer, query.path()).ok_or(Internal)?;
    let document = FactorDocument {
        sealed: Some(page.sealed.clone()),
        secret: Some(page.secret.clone()),
        uri: Some(page.uri.clone()),
        ..FactorDocument::default()
    };
    Ok(page.v.show(&page, &document))
}

/// Form with an offered secret, as the page sealed it, and a code of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["sealed", "code"]))]
pub struct SetUpForm {
    /// Offer of a secret, as it was shown.
    sealed: Field,
    /// Code that the app shows for the secret.
    code: Field,
    /// Path of this site that a browser is led to afterwards.
    next: Field,
}

/// `POST /account/second-factor`
pub async fn create_factor(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    cache: Data<SessionCache>,
    request: HttpRequest,
    me: CurrentAccount,
    Body(form): Body<SetUpForm>,
) -> Result<HttpResponse, PageError> {
    me.require_password()?;
    let details = profile::find(&app, me.account_id).await?.ok_or(NotFound)?;
    let email = Email::parse(&details.email).ok_or(NotFound)?;
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(form.sealed.text()).unwrap_or_default();
    let offer = second_factor::reopen(&app, me.account_id, sealed);
    let back = |error: PageError| leading_back(error, PATH, form.next.text());
    let offer = offer.ok_or_else(|| back(AccountError::OfferUnreadable.into()))?;
    let check = PasswordCheck {
        app: &app,
        gate: &gate,
        budget: &budget,
        client: client::address(&request, &app.config.trusted_proxies),
        device: device_claim(&request, &app),
    };
    let (code, next) = (SignInCode::parse(form.code.text()), parse_next(form.next.text()));
    let set = second_factor::set_up(&app, me.account_id, me.session_id, &offer, code.as_ref());
    let set = check_code(&check, &email, set).await.map_err(PageError::from);
    match me.view.or_refusal(set).map_err(back)? {
        Ok(renewed) => {
            forget(&cache, renewed.ended).await;
            Ok(show_codes(me.view, &renewed.codes, next))
        }
        Err(refusal) if matches!(refusal.find(), Some(AccountError::WrongCode)) => {
            let page = SetUpPage::of(me, &details.email, &offer, next).ok_or(Internal)?;
            let page = SetUpPage { refusal, ..page };
            Ok(page.v.html(page.refusal.status(), &page))
        }
        Err(refusal) => Err(back(refusal.into())),
    }
}

/// Recovery codes, which are shown once.
#[derive(Serialize, JsonSchema)]
pub struct RecoveryCodesDocument {
    recovery_codes: Vec<String>,
}

impl fmt::Debug for RecoveryCodesDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecoveryCodesDocument").finish_non_exhaustive()
    }
}

/// Answers with codes that are shown only this once; the page leads on to `next` if that is not
/// empty.
fn show_codes(v: View, codes: &[RecoveryCode], next: String) -> HttpResponse {
    let codes: Vec<String> = codes.iter().map(RecoveryCode::grouped).collect();
    if v.format.is_for_programs() {
        return json(StatusCode::CREATED, &json!({ "recovery_codes": codes }));
    }
    let next = if next.is_empty() { PATH.to_owned() } else { next };
    let page = RecoveryCodesPage { v, codes, next };
    page.v.html(StatusCode::CREATED, &page)
}

/// `POST /account/second-factor/recovery-codes`
pub async fn create_codes(app: Data<App>, me: CurrentAccount) -> Result<HttpResponse, PageError> {
    me.require_code()?;
    me.require_password()?;
    let codes = second_factor::renew_codes(&app, me.account_id).await?;
    Ok(show_codes(me.view, &codes, String::new()))
}

/// `POST /account/second-factor/removal`
pub async fn delete_factor(
    app: Data<App>,
    cache: Data<SessionCache>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    me.require_code()?;
    me.require_password()?;
    let ended = second_factor::remove(&app, me.account_id, me.session_id).await?;
    forget(&cache, ended).await;
    let answer = me.view.done(StatusCode::OK, &Empty {}, PATH);
    Ok(with_message(answer, "flash-second-factor-removed"))
}
