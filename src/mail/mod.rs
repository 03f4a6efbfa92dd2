//! Mails: their texts, and the mail server that takes them.
//!
//! A **letter** is a mail as its reader sees it, in HTML and in plain text. The **mailer** sends
//! the mails of the outbox to the configured mail server; without one mails are kept. A
//! **delivery** is the result of one attempt.
//!
//! # Invariants
//!
//! * A repeated mail has the id of the first, so a reader's program can tell that it is the same.
//! * A mail that the server refused for good (5xx) is given up at once. Any other attempt is repeated for as long as
//!   the mail is kept, but one whose end is unknown at most [`UNHEARD_MAX`] times.
//! * Nothing that a person typed becomes a header's name, a second header or a second recipient.
//! * A letter loads nothing from anywhere.
//! * A mail that may be declined says where, for people and for their mail programs (RFC 8058).
//! * A file that cannot be attached keeps no mail back.
//!
//! # Concurrency
//!
//! Every instance sends the mails that it has claimed (`outbox`). No transaction is open and no row
//! is locked during an attempt. An attempt that got no answer in time may have delivered the mail:
//! its end is unknown, and it is repeated.

mod attachments;
mod error;
pub mod letter;
mod mailer;
mod store;

use std::time::Duration;

pub use self::letter::Sender;
pub use self::mailer::Mailer;
use self::{
    error::ComposeError,
    letter::Letter,
    mailer::{CONNECTIONS_MAX, Delivery, Smtp},
};
use crate::{
    accounts::mail_choices::Unsubscription,
    app::App,
    config::Config,
    infra::{claims::Claims, postgres::Pool},
    office::Office,
    outbox::{self, Claimed, Message, PutOff, StoredMail},
    text::times::rfc3339,
};

/// Bounds of claims of mails.
const CLAIMS: Claims = Claims {
    rows_max: 20,
    at_once: CONNECTIONS_MAX,
    lasts: Duration::from_mins(5),
    pause_first: Duration::from_secs(30),
    pause_max: Duration::from_hours(1),
};
/// Claims of one tick.
const CLAIMS_MAX: usize = 50;
/// Attempts whose end is unknown, after which a mail is given up, because each of them may have delivered it: some 14
/// hours after the first.
const UNHEARD_MAX: i32 = 20;

/// Writes the letter of a mail as others than its reader see it. A link whose token is wiped is
/// written without it, and so is the one that ends the mails of its topic.
pub async fn compose(db: &Pool, from: Sender, mail: &StoredMail) -> Result<Letter, ComposeError> {
    compose_with(db, from, mail, None).await
}

/// Writes the letter of a mail; `unsubscription` is the token of the link that ends its topic.
async fn compose_with(
    db: &Pool,
    from: Sender,
    mail: &StoredMail,
    unsubscription: Option<&str>,
) -> Result<Letter, ComposeError> {
    let message = mail.message.as_ref().ok_or(ComposeError::UnknownMessage)?;
    letter::write(db, from, mail, message, unsubscription).await
}

/// Returns the token that ends the topic of a mail; `None` if it cannot be declined.
fn unsubscription_of(app: &App, mail: &StoredMail) -> Option<String> {
    let topic = mail.message.as_ref().and_then(Message::topic);
    let (account_id, topic) = mail.declinable_by.zip(topic)?;
    Unsubscription { account_id, topic }.sign(&app.signing_key)
}

/// Returns the newest `mails_max` mails as text for the terminal, the oldest first; `mails_max`
/// counts up to a page.
pub async fn list_newest(
    db: &Pool,
    config: &Config,
    mails_max: usize,
) -> Result<Vec<String>, sqlx::Error> {
    let office = Office::default();
    office.refresh(db).await?;
    let from = Sender::with(config, office.settings());
    let mut texts = Vec::new();
    for mail in outbox::list(db, None, None).await?.rows.into_iter().take(mails_max) {
        let state: &str = mail.state.into();
        let head =
            format!("{} {state} to {}", rfc3339(mail.content.created_at), mail.content.recipient);
        texts.push(match compose(db, from.clone(), &mail.content).await {
            Ok(letter) => format!("{head}\n{}\n\n{}", letter.subject, letter.text),
            Err(ComposeError::Database(error)) => return Err(error),
            Err(error) => format!("{head}\n({error})\n"),
        });
    }
    texts.reverse();
    Ok(texts)
}

/// Sends the mails that are due, a bounded number; called periodically. Ends at the first sign that
/// the mail server is away.
pub async fn send_due(app: &App, mailer: &Mailer) -> Result<(), sqlx::Error> {
    let Some(smtp) = mailer.smtp() else { return Ok(()) };
    for _ in 0..CLAIMS_MAX {
        let claimed = outbox::claim(&app.db, CLAIMS.rows_max, CLAIMS.lasts).await?;
        if claimed.is_empty() {
            break;
        }
        if let Err(error) = smtp.probe().await {
            tracing::warn!(%error, "the mail server is away; mails wait");
            for mail in &claimed {
                outbox::put_off(&app.db, mail, CLAIMS.pause_after(0), &error, PutOff::Untried)
                    .await?;
            }
            break;
        }
        CLAIMS.attempt(claimed, |mail| async move { send(app, smtp, &mail).await }).await?;
    }
    Ok(())
}

/// Sends one mail, and records the outcome.
async fn send(app: &App, smtp: &Smtp, mail: &Claimed) -> Result<(), sqlx::Error> {
    let message = mail.content.message.as_ref();
    if mail.content.secret.is_none() && message.is_some_and(Message::has_secret) {
        return outbox::note_failed(&app.db, mail, "its link was deleted when the mail ended")
            .await;
    }
    let token = unsubscription_of(app, &mail.content);
    let letter = compose_with(&app.db, Sender::of(app), &mail.content, token.as_deref()).await;
    let delivery = match letter {
        Ok(letter) => {
            let files = attachments::make(app, &mail.content).await;
            smtp.deliver(mail, &letter, files).await
        }
        Err(ComposeError::Database(error)) => return Err(error),
        // While two versions run beside each other, an instance of the later one can write it.
        Err(error @ ComposeError::UnknownMessage) => Delivery::Unknown(error.to_string()),
        Err(error) => Delivery::Refused(error.to_string()),
    };
    match delivery {
        Delivery::Accepted => outbox::note_sent(&app.db, mail).await,
        Delivery::Refused(why) => {
            tracing::warn!(mail = %mail.id, %why, "a mail is refused");
            outbox::note_failed(&app.db, mail, &why).await
        }
        // The server has not taken it, so it cannot come twice: it is tried for as long as it is kept.
        Delivery::NotNow(why) => {
            let pause = CLAIMS.pause_after(mail.attempts);
            outbox::put_off(&app.db, mail, pause, &why, PutOff::NotNow).await
        }
        Delivery::Unknown(why) if mail.unheard + 1 >= UNHEARD_MAX => {
            tracing::warn!(mail = %mail.id, %why, "a mail is given up");
            outbox::note_failed(&app.db, mail, &why).await
        }
        Delivery::Unknown(why) => {
            let pause = CLAIMS.pause_after(mail.attempts);
            outbox::put_off(&app.db, mail, pause, &why, PutOff::Unheard).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_outlasts_its_mails() {
        let lasts = CLAIMS.lasts.checked_sub(mailer::PROBE_MAX).unwrap();
        assert!(Claims { lasts, ..CLAIMS }.outlasts(mailer::SEND_MAX));
    }
}
