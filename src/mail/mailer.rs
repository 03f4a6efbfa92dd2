//! Connection to the mail server.

use std::{sync::Arc, time::Duration};

use lettre::{
    Address, AsyncSmtpTransport, AsyncTransport, Message as MailMessage, Tokio1Executor,
    message::{
        Attachment, Mailbox, MultiPart,
        header::{ContentType, HeaderName, HeaderValue},
    },
};
use tokio::time::timeout;

use super::letter::Letter;
use crate::{config::Config, outbox::Claimed, tickets::TicketFile};

/// Connections of one instance to the mail server; each sends one mail at a time.
pub(crate) const CONNECTIONS_MAX: usize = 4;
/// Longest attempt to send a mail.
pub(crate) const SEND_MAX: Duration = Duration::from_secs(30);
/// Longest attempt to reach the mail server.
pub(crate) const PROBE_MAX: Duration = Duration::from_secs(15);
/// Longest wait for a connection to the mail server.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// Sender of mails; without a mail server mails are kept. Clones share connections.
#[derive(Clone, Debug)]
pub struct Mailer(Option<Arc<Smtp>>);

/// Mail server. Each attempt has a connection of its own: one whose attempt was cut off would give
/// the next mail the answers to this one.
#[derive(Debug)]
pub struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// Result of one attempt to send a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The mail server took the mail.
    Accepted,
    /// The mail can never be sent, with the reason.
    Refused(String),
    /// The mail server did not take the mail, and may take it later.
    NotNow(String),
    /// The answer of the mail server is missing: the mail may have been sent.
    Unknown(String),
}

impl Mailer {
    /// Builds the sender that `config` describes; connects when a mail is sent.
    pub fn new(config: &Config) -> Self {
        let smtp = config.smtp_url.as_ref().zip(config.mail_from.clone());
        let smtp = smtp.and_then(|(url, from)| {
            // The settings were refused at the start if this fails.
            let builder = url.transport().ok()?.timeout(Some(CONNECT_MAX));
            Some(Arc::new(Smtp { transport: builder.build(), from }))
        });
        Self(smtp)
    }

    /// Returns the mail server; `None` if mails are kept.
    pub fn smtp(&self) -> Option<&Smtp> {
        self.0.as_deref()
    }
}

impl Smtp {
    /// Connects and logs in to the mail server, or says why that fails.
    pub(crate) async fn probe(&self) -> Result<(), String> {
        match timeout(PROBE_MAX, self.transport.test_connection()).await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err("the mail server gave no answer".to_owned()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the mail server cannot be reached in time".to_owned()),
        }
    }

    /// Makes one attempt to send a mail.
    pub(crate) async fn deliver(
        &self,
        mail: &Claimed,
        letter: &Letter,
        files: Vec<TicketFile>,
    ) -> Delivery {
        let message = match self.build(mail, letter, files) {
            Ok(message) => message,
            Err(why) => return Delivery::Refused(why),
        };
        let is_ascii = mail.content.recipient.is_ascii();
        match timeout(SEND_MAX, self.transport.send(message)).await {
            Ok(Ok(_)) => Delivery::Accepted,
            Ok(Err(error)) if error.is_permanent() => Delivery::Refused(error.to_string()),
            // The library refuses such an address by itself if the server lacks SMTPUTF8.
            Ok(Err(error)) if error.is_client() && !is_ascii => {
                Delivery::Refused(error.to_string())
            }
            Ok(Err(error)) if error.is_transient() => Delivery::NotNow(error.to_string()),
            Ok(Err(error)) => Delivery::Unknown(error.to_string()),
            Err(_) => Delivery::Unknown("the mail server did not answer in time".to_owned()),
        }
    }

    /// Builds the message with its headers. The library encodes what is not plain text in a header,
    /// line ends included, and refuses an address that is not one.
    fn build(
        &self,
        mail: &Claimed,
        letter: &Letter,
        files: Vec<TicketFile>,
    ) -> Result<MailMessage, String> {
        let to: Address = mail.content.recipient.parse().map_err(|error| format!("{error}"))?;
        let id = format!("<{}@{}>", mail.id, self.from.email.domain());
        let mut builder = MailMessage::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&letter.subject)
            .message_id(Some(id))
            .date(mail.content.created_at.into())
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(href) = &letter.unsubscription {
            builder = builder
                .raw_header(header("List-Unsubscribe", &format!("<{href}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        builder.multipart(body(letter, files)?).map_err(|error| error.to_string())
    }
}

/// Returns a header that the library has no type for.
fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// Returns the letter in both forms, followed by the files.
fn body(letter: &Letter, files: Vec<TicketFile>) -> Result<MultiPart, String> {
    let text = MultiPart::alternative_plain_html(letter.text.clone(), letter.html.clone());
    if files.is_empty() {
        return Ok(text);
    }
    files.into_iter().try_fold(MultiPart::mixed().multipart(text), |body, file| {
        let media_type = ContentType::parse(file.media_type).map_err(|error| error.to_string())?;
        let attached = Attachment::new(file.name.to_owned()).body(file.content, media_type);
        Ok(body.singlepart(attached))
    })
}
