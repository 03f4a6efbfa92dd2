//! Pages of mails.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use uuid::Uuid;

use super::send_again;
use crate::{
    accounts::AdminAccount,
    app::App,
    infra::postgres::page::Page,
    mail::{self, letter::Letter},
    outbox::{self, ListedMail, MailId, MailState},
    text::i18n::Phrase,
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        page::{Identified, View},
    },
};

/// Policy for a mail's HTML: no script, no form, nothing loaded, no access to this site.
const HTML_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; sandbox allow-popups";

#[derive(Template)]
#[template(path = "admin/mails.html")]
struct MailsPage {
    v: View,
    state: Option<MailState>,
    mails: Page<ListedMail>,
    is_kept: bool,
}

impl MailsPage {
    /// Returns the filters: the query of each, its name, and whether it is chosen.
    fn filters(&self) -> impl Iterator<Item = (&'static str, Phrase, bool)> {
        let all = ("", self.v.t("admin-mails-all"), self.state.is_none());
        let states = MailState::VARIANTS.iter().map(|state| {
            ((*state).into(), state_name(&self.v, *state), self.state == Some(*state))
        });
        std::iter::once(all).chain(states)
    }

    fn query(&self) -> &'static str {
        self.state.map_or("", Into::into)
    }

    fn state(&self, mail: &ListedMail) -> Phrase {
        state_name(&self.v, mail.state)
    }

    fn is_failed(&self, mail: &ListedMail) -> bool {
        mail.state == MailState::Failed
    }

    fn kind(&self, mail: &ListedMail) -> Phrase {
        kind_name(&self.v, mail)
    }
}

fn state_name(v: &View, state: MailState) -> Phrase {
    v.t(match state {
        MailState::Waiting => "admin-mail-state-waiting",
        MailState::Sent => "admin-mail-state-sent",
        MailState::Failed => "admin-mail-state-failed",
    })
}

fn kind_name(v: &View, mail: &ListedMail) -> Phrase {
    v.text(format!("admin-mail-kind-{}", mail.kind))
}

/// Query string of the list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MailsQuery {
    /// `waiting`, `sent` or `failed`; anything else: all.
    state: String,
    /// Key of the last row of the page before.
    after: Option<Uuid>,
}

/// Mail, as the list shows it.
#[derive(Debug, Serialize, JsonSchema)]
struct MailDocument<'a> {
    id: MailId,
    kind: &'a str,
    state: MailState,
    to: &'a str,
    written_at: DateTime<Utc>,
    attempts: i32,
    last_error: Option<&'a str>,
    ended_at: Option<DateTime<Utc>>,
}

impl<'a> MailDocument<'a> {
    fn of(mail: &'a ListedMail) -> Self {
        Self {
            id: mail.id,
            kind: &mail.kind,
            state: mail.state,
            to: &mail.content.recipient,
            written_at: mail.content.created_at,
            attempts: mail.attempts,
            last_error: mail.last_error.as_deref(),
            ended_at: mail.ended_at,
        }
    }
}

/// Page of mails.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailListDocument<'a> {
    mails: Vec<MailDocument<'a>>,
    next: Option<Uuid>,
    /// Whether mails are kept and not sent.
    is_kept: bool,
}

/// `GET /admin/mails`
pub async fn list_mails(
    app: Data<App>,
    me: AdminAccount,
    query: Query<MailsQuery>,
) -> Result<HttpResponse, PageError> {
    let state = query.state.parse().ok();
    let mails = outbox::list(&app.db, state, query.after).await?;
    let is_kept = app.config.smtp_url.is_none();
    let page = MailsPage { v: me.view, state, mails, is_kept };
    let mails = page.mails.rows.iter().map(MailDocument::of).collect();
    let document = MailListDocument { mails, next: page.mails.next, is_kept };
    Ok(page.v.show(&page, &document))
}

#[derive(Template)]
#[template(path = "admin/mail.html")]
struct MailPage {
    v: View,
    mail: ListedMail,
    letter: Result<Letter, String>,
}

impl MailPage {
    fn kind(&self) -> Phrase {
        kind_name(&self.v, &self.mail)
    }

    fn state(&self) -> Phrase {
        state_name(&self.v, self.mail.state)
    }

    fn is_failed(&self) -> bool {
        self.mail.state == MailState::Failed
    }
}

/// Returns a mail with its letter, or the reason why that cannot be written.
async fn read(app: &App, id: MailId) -> Result<(ListedMail, Result<Letter, String>), PageError> {
    let mut mail = outbox::find(&app.db, id).await?.ok_or(NotFound)?;
    if app.config.smtp_url.is_some() {
        // Its reader gets it by mail; an administrator needs it only where no mail is sent.
        mail.content.secret = None;
    }
    let letter = mail::compose(&app.db, mail::Sender::of(app), &mail.content).await;
    Ok((mail, letter.map_err(|error| error.to_string())))
}

/// Mail with its text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LetterDocument<'a> {
    #[serde(flatten)]
    mail: MailDocument<'a>,
    /// Left out where the letter cannot be written any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// `GET /admin/mails/{id}`
pub async fn show_mail(
    app: Data<App>,
    me: AdminAccount,
    id: Path<MailId>,
) -> Result<HttpResponse, PageError> {
    let (mail, letter) = read(&app, *id).await?;
    let page = MailPage { v: me.view, mail, letter };
    let letter = page.letter.as_ref().ok();
    let document = LetterDocument {
        mail: MailDocument::of(&page.mail),
        subject: letter.map(|letter| letter.subject.as_str()),
        text: letter.map(|letter| letter.text.as_str()),
    };
    Ok(page.v.show(&page, &document))
}

/// `GET /admin/mails/{id}/html`
pub async fn show_html(
    app: Data<App>,
    _: AdminAccount,
    id: Path<MailId>,
) -> Result<HttpResponse, PageError> {
    let (_, letter) = read(&app, *id).await?;
    let letter = letter.map_err(|_unwritable| NotFound)?;
    let mut answer = HttpResponse::Ok();
    answer.content_type("text/html; charset=utf-8");
    answer.insert_header((header::CONTENT_SECURITY_POLICY, HTML_POLICY));
    Ok(answer.body(letter.html))
}

/// `POST /admin/mails/{id}/sending`
pub async fn create_sending(
    app: Data<App>,
    me: AdminAccount,
    id: Path<MailId>,
) -> Result<HttpResponse, PageError> {
    send_again(&app, me.account_id, *id).await?;
    let answer =
        me.view.done(StatusCode::OK, &Identified { id: *id }, &format!("/admin/mails/{id}"));
    Ok(with_message(answer, "flash-admin-mail-due"))
}

#[cfg(test)]
mod tests {
    use strum::VariantNames;

    use crate::{outbox::Message, text::i18n::Locale};

    #[test]
    fn every_kind_of_mail_has_a_name_in_every_language() {
        for locale in Locale::all() {
            for kind in Message::VARIANTS {
                let key = format!("admin-mail-kind-{kind}");
                assert_ne!(locale.text(key.clone()).to_string(), key, "{}", locale.tag());
            }
        }
    }
}
