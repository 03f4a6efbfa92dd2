//! The page of the signed-in account.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{
        log_in::{budget::LogInBudget, password_check::PasswordCheck},
        model::{AccountId, Password},
        name::Name,
        password::PasswordGate,
        profile::{self, AccountDetails},
        recovery::{identity, in_steps},
        sessions::pages::{
            current::{CurrentAccount, SessionCache, device_claim},
            forget,
        },
    },
    app::App,
    text::{email::Email, i18n::Locale},
    web::{
        client,
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, FormRefusal, Mistakes},
        page::{Empty, View},
    },
};

/// Path of the page, to which its forms lead back.
const PATH: &str = "/account";

#[derive(Template)]
#[template(path = "accounts/account.html")]
struct AccountPage {
    v: View,
    details: AccountDetails,
    refusal: FormRefusal,
}

impl AccountPage {
    /// Whether the account may set up a second factor.
    fn is_staff(&self) -> bool {
        self.v.account.as_ref().is_some_and(|account| account.is_staff)
    }

    /// Lists the languages that mails can be in, and whether the account chose each of them.
    fn mail_languages(&self) -> impl Iterator<Item = (Locale, bool)> {
        let chosen = self.details.mails.locale;
        Locale::all().map(move |locale| (locale, chosen == Some(locale)))
    }
}

/// Returns the account that is signed in.
async fn details(app: &App, me: &CurrentAccount) -> Result<AccountDetails, PageError> {
    Ok(profile::find(app, me.account_id).await?.ok_or(NotFound)?)
}

/// Renders the page with a refusal of one of its forms.
fn refused(v: View, details: AccountDetails, refusal: FormRefusal) -> HttpResponse {
    let page = AccountPage { v, details, refusal };
    page.v.html(page.refusal.status(), &page)
}

/// Account that is signed in, as its owner sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccountDocument {
    account_id: AccountId,
    email: String,
    name: String,
    /// Whether the owner confirmed the address.
    confirmed: bool,
    mails: MailsDocument,
}

/// Mails that an account wants.
#[derive(Debug, Serialize, JsonSchema)]
struct MailsDocument {
    /// Tag of their language; null: the language of the last visit.
    language: Option<&'static str>,
    transfers: bool,
    turn: bool,
    /// Whether letters of the office are wanted.
    letters: bool,
}

/// `GET /account`
pub async fn show_account(app: Data<App>, me: CurrentAccount) -> Result<HttpResponse, PageError> {
    let details = details(&app, &me).await?;
    let document = AccountDocument {
        account_id: me.account_id,
        email: details.email.clone(),
        name: details.name.clone(),
        confirmed: details.is_confirmed,
        mails: MailsDocument {
            language: details.mails.locale.map(Locale::tag),
            transfers: details.mails.transfers,
            turn: details.mails.turn,
            letters: details.mails.letters,
        },
    };
    let page = AccountPage { v: me.view, details, refusal: FormRefusal::default() };
    Ok(page.v.show(&page, &document))
}

/// Form with a new name.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["name"]))]
pub struct NameForm {
    /// Name.
    name: Field,
}

/// Name of the account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NameDocument {
    name: String,
}

/// `POST /account/name`
pub async fn update_name(
    app: Data<App>,
    me: CurrentAccount,
    Body(form): Body<NameForm>,
) -> Result<HttpResponse, PageError> {
    let mut mistakes = Mistakes::default();
    let name = mistakes.note("name", "account-refusal-name", Name::parse(form.name.text()));
    match me.view.or_refusal(mistakes.or(name).map_err(PageError::from))? {
        Ok(name) => {
            profile::rename(&app, me.account_id, &name).await?;
            let document = NameDocument { name: name.as_str().to_owned() };
            let answer = me.view.done(StatusCode::OK, &document, PATH);
            Ok(with_message(answer, "flash-account-saved"))
        }
        Err(refusal) => Ok(refused(me.view.clone(), details(&app, &me).await?, refusal)),
    }
}

/// Form with the present password and a new one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["password", "new_password"]))]
pub struct PasswordForm {
    /// Password.
    password: Field,
    /// New password.
    new_password: Field,
    /// `true`: the account's API keys go on; they end otherwise.
    keep_keys: Field,
}

/// `POST /account/password`
pub async fn update_password(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    cache: Data<SessionCache>,
    request: HttpRequest,
    me: CurrentAccount,
    Body(form): Body<PasswordForm>,
) -> Result<HttpResponse, PageError> {
    let details = details(&app, &me).await?;
    let (email, name) = identity(&details.email, &details.name);
    let chosen = Password::chosen(form.new_password.sent(), email.as_ref(), name.as_ref());
    let check = check(&app, &gate, &budget, &request);
    let changed = async {
        let password =
            chosen.map_err(|refusal| Mistakes::one("new_password", refusal.text_key()))?;
        let keeps_keys = form.keep_keys.flag();
        let keeps_keys =
            keeps_keys.ok_or_else(|| Mistakes::one("keep_keys", "account-refusal-keep-keys"))?;
        let checked = profile::check_password(&check, &details, form.password.sent()).await?;
        Ok(profile::change_password(&check, &checked, me.session_id, password, keeps_keys).await?)
    };
    match me.view.or_refusal(changed.await)? {
        Ok(ended) => {
            forget(&cache, ended).await;
            let answer = me.view.done(StatusCode::OK, &Empty {}, PATH);
            Ok(with_message(answer, "flash-password-changed"))
        }
        Err(refusal) => Ok(refused(me.view, details, refusal)),
    }
}

fn check<'a>(
    app: &'a App,
    gate: &'a PasswordGate,
    budget: &'a LogInBudget,
    request: &HttpRequest,
) -> PasswordCheck<'a> {
    let client = client::address(request, &app.config.trusted_proxies);
    PasswordCheck { app, gate, budget, client, device: device_claim(request, app) }
}

/// Form with the present password and a new address.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["password", "email"]))]
pub struct AddressForm {
    /// Password.
    password: Field,
    /// Email address.
    email: Field,
}

/// `POST /account/address`
pub async fn update_address(
    app: Data<App>,
    gate: Data<PasswordGate>,
    budget: Data<LogInBudget>,
    request: HttpRequest,
    me: CurrentAccount,
    Body(form): Body<AddressForm>,
) -> Result<HttpResponse, PageError> {
    let details = details(&app, &me).await?;
    let check = check(&app, &gate, &budget, &request);
    let asked = async {
        let email = Email::parse(form.email.text());
        let email = email.ok_or_else(|| Mistakes::one("email", "account-refusal-email"))?;
        let checked = profile::check_password(&check, &details, form.password.sent()).await?;
        Ok(in_steps(profile::ask_for_address(&app, &checked, &email, me.view.locale)).await?)
    };
    match me.view.or_refusal(asked.await)? {
        Ok(()) => {
            let answer = me.view.done(StatusCode::ACCEPTED, &Empty {}, PATH);
            Ok(with_message(answer, "flash-address-mailed"))
        }
        Err(refusal) => Ok(refused(me.view, details, refusal)),
    }
}
