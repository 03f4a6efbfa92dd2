//! Pages for a forgotten password.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    accounts::{
        error::AccountError,
        links::{self, LinkPurpose, LinkToken},
        model::Password,
        password::PasswordGate,
        recovery::{self, identity},
    },
    app::App,
    infra::network::Network,
    text::email::Email,
    web::{
        client,
        error::{HttpError, PageError},
        flash::with_message,
        form::{Body, Field, Mistakes},
        limits::Limits,
        page::{Empty, View},
    },
};

/// Policy of pages whose address has a token: no request that leads on names it. An answer without
/// any referrer would make the browser hide the form's origin, too.
const TOKEN_POLICY: HeaderValue = HeaderValue::from_static("strict-origin");

/// Query string of a link in a mail.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct LinkQuery {
    /// Token of the link in the mail.
    token: String,
}

impl LinkQuery {
    /// Returns the token, or the refusal of a link without one.
    pub(crate) fn parse(&self, purpose: LinkPurpose) -> Result<LinkToken, AccountError> {
        LinkToken::parse(&self.token).ok_or(AccountError::LinkDead(purpose))
    }

    /// Returns the token as it was sent, for a hidden field.
    pub(crate) fn text(&self) -> &str {
        &self.token
    }
}

/// Keeps the address of a page, which has a token, from the pages that it links to.
pub(crate) fn without_referrer(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(header::REFERRER_POLICY, TOKEN_POLICY);
    answer
}

#[derive(Template)]
#[template(path = "accounts/forgotten.html")]
struct ForgottenPage {
    v: View,
    email: String,
    mistakes: Mistakes,
    refusal: Option<String>,
}

/// `GET /password/forgotten`
pub(crate) async fn new_request(v: View) -> HttpResponse {
    let (mistakes, refusal) = (Mistakes::default(), None);
    let page = ForgottenPage { v: v.clone(), email: String::new(), mistakes, refusal };
    v.html(StatusCode::OK, &page)
}

/// Form with the address of an account.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["email"]))]
pub(crate) struct ForgottenForm {
    /// Email address.
    email: Field,
}

/// `POST /password/forgotten`
pub(crate) async fn create_request(
    app: Data<App>,
    limits: Data<Limits>,
    request: HttpRequest,
    v: View,
    Body(form): Body<ForgottenForm>,
) -> Result<HttpResponse, PageError> {
    let mut mistakes = Mistakes::default();
    let email = mistakes.note("email", "account-refusal-email", Email::parse(form.email.text()));
    let email = match mistakes.or(email) {
        Ok(email) => email,
        Err(mistakes) if v.wants_form(&mistakes) => {
            let refusal = Some(v.refusal(&mistakes));
            let email = form.email.text().to_owned();
            let status = mistakes.status();
            let page = ForgottenPage { v: v.clone(), email, mistakes, refusal };
            return Ok(v.html(status, &page));
        }
        Err(mistakes) => return Err(mistakes.into()),
    };
    let network = Network::of(client::address(&request, &app.config.trusted_proxies));
    limits.recovery.count(&network)?;
    recovery::ask(&app, &email).await?;
    let answer = v.done(StatusCode::ACCEPTED, &Empty {}, "/password/forgotten");
    Ok(with_message(answer, "flash-reset-mailed"))
}

#[derive(Template)]
#[template(path = "accounts/reset.html")]
struct ResetPage {
    v: View,
    token: String,
    email: String,
    mistakes: Mistakes,
    refusal: Option<String>,
}

/// `GET /password/reset`
pub(crate) async fn new_password(
    app: Data<App>,
    v: View,
    query: Query<LinkQuery>,
) -> Result<HttpResponse, PageError> {
    let token = query.parse(LinkPurpose::Reset)?;
    let owner = links::find_owner(&app.db, &token, LinkPurpose::Reset).await?;
    let page = ResetPage {
        v: v.clone(),
        token: query.text().to_owned(),
        email: owner.email,
        mistakes: Mistakes::default(),
        refusal: None,
    };
    Ok(without_referrer(v.html(StatusCode::OK, &page)))
}

/// Form with a new password.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["token", "password"]))]
pub(crate) struct ResetForm {
    /// Token of the link in the mail.
    token: Field,
    /// Password.
    password: Field,
}

/// `POST /password/reset`
pub(crate) async fn create_password(
    app: Data<App>,
    gate: Data<PasswordGate>,
    request: HttpRequest,
    v: View,
    Body(form): Body<ResetForm>,
) -> Result<HttpResponse, PageError> {
    let dead = AccountError::LinkDead(LinkPurpose::Reset);
    let token = LinkToken::parse(form.token.text()).ok_or(dead)?;
    let owner = links::find_owner(&app.db, &token, LinkPurpose::Reset).await?;
    let (email, name) = identity(&owner.email, &owner.name);
    let network = Network::of(client::address(&request, &app.config.trusted_proxies));
    let chosen = Password::chosen(form.password.sent(), email.as_ref(), name.as_ref());
    let mistake = chosen.as_ref().err().map(|refusal| refusal.text_key());
    let mistakes = mistake.map(|key| Mistakes::one("password", key)).unwrap_or_default();
    let outcome = match chosen {
        Ok(password) => {
            recovery::reset(&app, &gate, network, &token, password).await.map_err(PageError::from)
        }
        Err(_) => Err(mistakes.clone().into()),
    };
    match outcome {
        Ok(()) => {
            let answer = v.done(StatusCode::OK, &Empty {}, "/login");
            Ok(with_message(answer, "flash-password-changed"))
        }
        Err(refusal) if v.wants_form(refusal.inner()) && !is_dead(refusal.inner()) => {
            let page = ResetPage {
                v: v.clone(),
                token: form.token.text().to_owned(),
                email: owner.email,
                mistakes,
                refusal: Some(v.refusal(refusal.inner())),
            };
            Ok(without_referrer(v.html(refusal.inner().status(), &page)))
        }
        Err(failure) => Err(failure),
    }
}

/// Whether a form cannot be sent again, because its link stopped working meanwhile.
fn is_dead(refusal: &dyn HttpError) -> bool {
    refusal.status() == StatusCode::GONE
}
