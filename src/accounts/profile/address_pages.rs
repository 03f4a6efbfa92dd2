//! Pages that confirm an address: the link is asked for, opened, and leads on.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{
        error::{ADDRESS_CONFIRMATION_PATH, AccountError},
        links::{self, LinkPurpose, LinkToken},
        pages::{Next, leading_back, parse_next},
        profile,
        recovery::pages::{LinkQuery, without_referrer},
        sessions::pages::current::CurrentAccount,
    },
    app::App,
    text::email::Email,
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field},
        local_path::{LocalPath, with_next},
        page::{Empty, View, see_other},
    },
};

/// Page of the account, to which a confirmation leads unless another page is named.
const ACCOUNT_PATH: &str = "/account";

#[derive(Template)]
#[template(path = "accounts/address_mail.html")]
struct AddressMailPage {
    v: View,
    address: String,
    next: String,
}

/// Address of the account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressDocument {
    email: String,
    /// Whether the owner confirmed it.
    confirmed: bool,
}

/// `GET /account/address/confirmation`: offers to mail the link for the present address. An account
/// that has confirmed it meanwhile is redirected.
pub async fn new_confirmation_mail(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<Next>,
) -> Result<HttpResponse, PageError> {
    let details = profile::find(&app, me.account_id).await?.ok_or(NotFound)?;
    let next = query.path();
    if details.is_confirmed && !me.view.format.is_for_programs() {
        return Ok(see_other(if next.is_empty() { ACCOUNT_PATH } else { &next }));
    }
    let document =
        AddressDocument { email: details.email.clone(), confirmed: details.is_confirmed };
    let page = AddressMailPage { v: me.view, address: details.email, next };
    Ok(page.v.show(&page, &document))
}

/// Form that asks for the link; it may name the page that the link leads on to.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MailForm {
    /// Path of this site that a browser is led to afterwards.
    next: Field,
}

/// `POST /account/address/confirmation`: mails the link for the present address again.
pub async fn create_confirmation_mail(
    app: Data<App>,
    me: CurrentAccount,
    Body(form): Body<MailForm>,
) -> Result<HttpResponse, PageError> {
    let details = profile::find(&app, me.account_id).await?.ok_or(NotFound)?;
    let email = Email::parse(&details.email).ok_or(NotFound)?;
    let next = Some(parse_next(form.next.text())).filter(|next| !next.is_empty());
    profile::ask_to_confirm(&app, me.account_id, &email, me.view.locale, next.as_deref())
        .await
        .map_err(|error| leading_back(error, ADDRESS_CONFIRMATION_PATH, form.next.text()))?;
    let location = match &next {
        Some(next) => with_next(ADDRESS_CONFIRMATION_PATH, next),
        None => ACCOUNT_PATH.to_owned(),
    };
    let answer = me.view.done(StatusCode::ACCEPTED, &Empty {}, &location);
    Ok(with_message(answer, "flash-address-mailed"))
}

#[derive(Template)]
#[template(path = "accounts/address.html")]
struct AddressPage {
    v: View,
    token: String,
    address: String,
}

/// `GET /address/confirmation`: confirms nothing, because programs that check mails read it.
pub async fn new_confirmation(
    app: Data<App>,
    v: View,
    query: Query<LinkQuery>,
) -> Result<HttpResponse, PageError> {
    let token = query.parse(LinkPurpose::Confirm)?;
    let owner = links::find_owner(&app.db, &token, LinkPurpose::Confirm).await?;
    let token = query.text().to_owned();
    let page = AddressPage { v: v.clone(), token, address: owner.address };
    Ok(without_referrer(v.html(StatusCode::OK, &page)))
}

/// Form with the token of a link.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["token"]))]
pub struct TokenForm {
    /// Token of the link in the mail.
    token: Field,
}

/// `POST /address/confirmation`
pub async fn create_confirmation(
    app: Data<App>,
    v: View,
    Body(form): Body<TokenForm>,
) -> Result<HttpResponse, PageError> {
    let dead = AccountError::AddressLinkDead;
    let token = LinkToken::parse(form.token.text()).ok_or(dead)?;
    let next = profile::confirm_address(&app, &token).await?;
    let next = next.as_deref().and_then(LocalPath::parse);
    let location = next.as_ref().map_or(ACCOUNT_PATH, LocalPath::as_str);
    let answer = v.done(StatusCode::OK, &Empty {}, location);
    Ok(with_message(answer, "flash-address-confirmed"))
}
