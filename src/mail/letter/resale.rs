//! Letter about a ticket that its holder put back on sale.

use uuid::Uuid;

use super::{
    content::{Content, on_one_line, points},
    hand_over::{facts, greeting},
};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{self, sales},
    },
};

/// Tells the seller that the ticket was bought, and the payout.
pub(super) async fn sold(blank: Content, db: &Pool, id: Uuid) -> Result<Content, ComposeError> {
    let sale = sales::find(db, id).await?.ok_or(ComposeError::Gone)?;
    let ticket = store::find_ticket(db, sale.ticket_id).await?.ok_or(ComposeError::Gone)?;
    let locale = blank.locale;
    let subject = locale.text("mail-ticket-sold-subject").word("title", &ticket.title);
    let payout = (locale.text("mail-fact-payout"), points(locale, sale.payout));
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        greeting: greeting(locale, Some(&ticket.holder)),
        paragraphs: vec![locale.text("mail-ticket-sold-lede")],
        facts: facts(locale, &ticket).into_iter().chain([payout]).collect(),
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..blank
    })
}
