//! Letters about a ticket that its holder put back on sale, or gave back.

use uuid::Uuid;

use super::{
    content::{Content, on_one_line},
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
    told(blank, db, id, ["mail-ticket-sold-subject", "mail-ticket-sold-lede"]).await
}

/// Tells the payer that the ticket was refunded by itself, and what came back.
pub(super) async fn refunded(blank: Content, db: &Pool, id: Uuid) -> Result<Content, ComposeError> {
    told(blank, db, id, ["mail-ticket-refunded-subject", "mail-ticket-refunded-lede"]).await
}

async fn told(
    blank: Content,
    db: &Pool,
    id: Uuid,
    [subject, lede]: [&'static str; 2],
) -> Result<Content, ComposeError> {
    let sale = sales::find(db, id).await?.ok_or(ComposeError::Gone)?;
    let ticket = store::find_ticket(db, sale.ticket_id).await?.ok_or(ComposeError::Gone)?;
    let locale = blank.locale;
    let subject = locale.text(subject).word("title", &ticket.title);
    let payout = (locale.text("mail-fact-payout"), blank.price(sale.payout));
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        greeting: greeting(locale, Some(&ticket.holder)),
        paragraphs: vec![locale.text(lede)],
        facts: facts(locale, &ticket).into_iter().chain([payout]).collect(),
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..blank
    })
}
