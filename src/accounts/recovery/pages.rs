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
        error::PageError,
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
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
pub struct LinkQuery {
    /// Token of the link in the mail.
    token: String,
}

impl LinkQuery {
    /// Returns the token, or the refusal of a link without one.
    pub(crate) fn parse(&self, purpose: LinkPurpose) -> Result<LinkToken, AccountError> {
        LinkToken::parse(&self.token).ok_or(AccountError::link_dead(purpose))
    }

    /// Returns the token as it was sent, for a hidden field.
    pub(crate) fn text(&self) -> &str {
        &self.token
    }
}

/// Keeps the address of a page, which has a token, from the pages that it links to.
pub fn without_referrer(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(header::REFERRER_POLICY, TOKEN_POLICY);
    answer
}

#[derive(Template)]
#[template(path = "accounts/forgotten.html")]
struct ForgottenPage {
    v: View,
    email: String,
    refusal: FormRefusal,
}

/// `GET /password/forgotten`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn new_request(v: View) -> HttpResponse {
    let page = ForgottenPage { v, email: String::new(), refusal: FormRefusal::default() };
    page.v.html(StatusCode::OK, &page)
}

/// Form with the address of an account.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["email"]))]
pub struct ForgottenForm {
    /// Email address.
    email: Field,
}

/// `POST /password/forgotten`
pub async fn create_request(
    app: Data<App>,
    limits: Data<Limits>,
    request: HttpRequest,
    v: View,
    Body(form): Body<ForgottenForm>,
) -> Result<HttpResponse, PageError> {
    let mut mistakes = Mistakes::default();
    let email = mistakes.note("email", "account-refusal-email", Email::parse(form.email.text()));
    let email = match v.or_refusal(mistakes.or(email).map_err(PageError::from))? {
        Ok(email) => email,
        Err(refusal) => {
            let page = ForgottenPage { v, email: form.email.text().to_owned(), refusal };
            return Ok(page.v.html(page.refusal.status(), &page));
        }
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
    refusal: FormRefusal,
}

/// `GET /password/reset`
pub async fn new_password(
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
        refusal: FormRefusal::default(),
    };
    Ok(without_referrer(v.html(StatusCode::OK, &page)))
}

/// Form with a new password.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["token", "password"]))]
pub struct ResetForm {
    /// Token of the link in the mail.
    token: Field,
    /// Password.
    password: Field,
}

/// `POST /password/reset`
pub async fn create_password(
    app: Data<App>,
    gate: Data<PasswordGate>,
    request: HttpRequest,
    v: View,
    Body(form): Body<ResetForm>,
) -> Result<HttpResponse, PageError> {
    let dead = AccountError::ResetLinkDead;
    let token = LinkToken::parse(form.token.text()).ok_or(dead)?;
    let owner = links::find_owner(&app.db, &token, LinkPurpose::Reset).await?;
    let (email, name) = identity(&owner.email, &owner.name);
    let network = Network::of(client::address(&request, &app.config.trusted_proxies));
    let chosen = Password::chosen(form.password.sent(), email.as_ref(), name.as_ref());
    let outcome = async {
        let password = chosen.map_err(|refusal| Mistakes::one("password", refusal.text_key()))?;
        Ok(recovery::reset(&app, &gate, network, &token, password).await?)
    };
    match v.or_refusal(outcome.await)? {
        Ok(()) => {
            let answer = v.done(StatusCode::OK, &Empty {}, "/login");
            Ok(with_message(answer, "flash-password-changed"))
        }
        // The link stopped working meanwhile, so the form cannot be sent again.
        Err(refusal) if refusal.status() == StatusCode::GONE => Err(refusal.into()),
        Err(refusal) => {
            let (token, email) = (form.token.text().to_owned(), owner.email);
            let page = ResetPage { v, token, email, refusal };
            Ok(without_referrer(page.v.html(page.refusal.status(), &page)))
        }
    }
}
