//! Mails as administrators see them: listed, shown, sent again.
//!
//! A **kept** mail waits because no mail server is configured.
//!
//! # Invariants
//!
//! * The audit log names the administrator who makes a mail due again, in the same transaction.
//! * A mail's HTML is shown under a policy that runs nothing and loads nothing.
//!
//! # Concurrency
//!
//! Two administrators who send one mail again race for its row; the second is refused with
//! [`AdminError::MailNotFailed`].

pub mod pages;

use super::error::AdminError;
use crate::{
    accounts::AccountId,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Subject},
    },
    outbox::{self, MailId},
};

/// Makes a mail that was given up due again.
pub async fn send_again(app: &App, by: AccountId, id: MailId) -> Result<(), AdminError> {
    audit::perform(app, async |tx| {
        let mail = outbox::find(&app.db, id).await?.ok_or(AdminError::NotFound)?;
        if !mail.can_be_sent_again() || !outbox::send_again(tx, id).await? {
            return Err(AdminError::MailNotFailed(id));
        }
        Ok(((), AuditEntry::new(by, Act::MailSentAgain, Subject::Mail, id)))
    })
    .await
}
