//! Pages of the mails that an account wants, and of the link that ends a topic.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    model::MailChoices,
    store,
    unsubscription::{UNSUBSCRIPTION_PATH, Unsubscription},
};
use crate::{
    accounts::{
        error::AccountError,
        recovery::pages::{LinkQuery, without_referrer},
        sessions::pages::current::CurrentAccount,
    },
    app::App,
    outbox::MailTopic,
    text::i18n::Locale,
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, Field, Mistakes},
        page::{Empty, View},
    },
};

/// Part of the account's page with the choices, to which their form leads back.
const CHOICES_PATH: &str = "/account#mails";

/// Form of the choices. A box that is not checked is not sent.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChoicesForm {
    /// Tag of the language of mails; empty: that of the last visit.
    language: Field,
    /// Whether mails about transfers are wanted.
    transfers: Field,
    /// Whether mails about turns are wanted.
    turn: Field,
    /// Whether letters of the office are wanted.
    letters: Field,
}

impl ChoicesForm {
    fn parse(&self) -> Result<MailChoices, Mistakes> {
        let mut mistakes = Mistakes::default();
        let locale = match self.language.text() {
            "" => Some(None),
            tag => Locale::parse(tag).map(Some),
        };
        let locale = mistakes.note("language", "language-unknown", locale);
        let mut flag =
            |name, field: &Field| mistakes.note(name, "account-refusal-mails", field.flag());
        let transfers = flag("transfers", &self.transfers);
        let turn = flag("turn", &self.turn);
        let letters = flag("letters", &self.letters);
        let parsed = locale.zip(transfers).zip(turn).zip(letters);
        mistakes.or(parsed.map(|(((locale, transfers), turn), letters)| MailChoices {
            locale,
            transfers,
            turn,
            letters,
        }))
    }
}

/// `POST /account/mails`
pub async fn update_choices(
    app: Data<App>,
    me: CurrentAccount,
    Body(form): Body<ChoicesForm>,
) -> Result<HttpResponse, PageError> {
    let choices = form.parse()?;
    store::write(&app.db, me.account_id, choices).await?;
    let answer = me.view.done(StatusCode::OK, &Empty {}, CHOICES_PATH);
    Ok(with_message(answer, "flash-account-saved"))
}

#[derive(Template)]
#[template(path = "accounts/unsubscription.html")]
struct UnsubscriptionPage {
    v: View,
    topic: MailTopic,
    /// Whether the mails of the topic are still wanted.
    is_wanted: bool,
    /// Target of the form.
    path: String,
}

/// Returns the account and the topic of a link, or the refusal of a link that this deployment did
/// not sign.
fn read(app: &App, query: &LinkQuery) -> Result<Unsubscription, AccountError> {
    let link = Unsubscription::read(query.text(), &app.signing_key);
    link.ok_or(AccountError::UnsubscriptionDead)
}

/// Returns the address of the page of a link.
fn path_of(query: &LinkQuery) -> String {
    format!("{UNSUBSCRIPTION_PATH}?token={}", query.text())
}

/// Topic of the mails that a link ends.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TopicDocument {
    topic: MailTopic,
    /// Whether its mails are wanted.
    wanted: bool,
}

/// `GET /mails/unsubscription`: ends nothing, because programs that check mails read it.
pub async fn new_unsubscription(
    app: Data<App>,
    v: View,
    query: Query<LinkQuery>,
) -> Result<HttpResponse, PageError> {
    let Unsubscription { account_id, topic } = read(&app, &query)?;
    let is_wanted = store::find_wanted(&app.db, account_id, topic).await?;
    let is_wanted = is_wanted.ok_or(AccountError::UnsubscriptionDead)?;
    let page = UnsubscriptionPage { v: v.clone(), topic, is_wanted, path: path_of(&query) };
    Ok(without_referrer(v.show(&page, &TopicDocument { topic, wanted: is_wanted })))
}

/// Body of a mail program that ends the mails for its reader (RFC 8058); a browser's form has none.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OneClickForm {
    /// Form that mail programs send (RFC 8058).
    #[serde(rename = "List-Unsubscribe")]
    one_click: Field,
}

/// `POST /mails/unsubscription`
pub async fn create_unsubscription(
    app: Data<App>,
    v: View,
    query: Query<LinkQuery>,
    Body(form): Body<OneClickForm>,
) -> Result<HttpResponse, PageError> {
    let Unsubscription { account_id, topic } = read(&app, &query)?;
    if !store::write_declined(&app.db, account_id, topic).await? {
        return Err(AccountError::UnsubscriptionDead.into());
    }
    if !form.one_click.is_empty() {
        // Mail programs follow no redirect.
        return Ok(HttpResponse::Ok().finish());
    }
    let document = TopicDocument { topic, wanted: false };
    Ok(v.done(StatusCode::OK, &document, &path_of(&query)))
}
