//! Letters about a ticket that its holder put back on sale, or gave back.

use uuid::Uuid;

use super::{
    content::{Content, on_one_line},
    hand_over::{facts, greeting},
    reservation::place_name,
};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{self, TicketTold, sales},
    },
    outbox::Message,
    points::Points,
};

/// Tells the seller that the ticket was bought, and the payout.
pub(super) async fn sold(blank: Content, db: &Pool, id: Uuid) -> Result<Content, ComposeError> {
    told(blank, db, (id, &[]), ["mail-ticket-sold-subject", "mail-ticket-sold-lede"]).await
}

/// Tells the payer that tickets were refunded, what came back, and what of it goes to the card.
pub(super) async fn refunded(
    blank: Content,
    db: &Pool,
    message: &Message,
) -> Result<Content, ComposeError> {
    let Message::TicketRefunded { return_id, more, to_cards } = message else {
        return Err(ComposeError::UnknownMessage);
    };
    let is_to_card = *to_cards > Points::ZERO;
    let lede = match (is_to_card, more.is_empty()) {
        (true, _) => "mail-ticket-refunded-card-lede",
        (false, true) => "mail-ticket-refunded-lede",
        (false, false) => "mail-tickets-refunded-lede",
    };
    let keys = ["mail-ticket-refunded-subject", lede];
    let mut content = told(blank, db, (*return_id, more), keys).await?;
    if is_to_card {
        let to_card = (content.locale.text("mail-fact-to-card"), content.price(*to_cards));
        content.facts.push(to_card);
    }
    Ok(content)
}

/// Fills a letter about the ticket of a return, and of `more`, with their places and the sum of their payouts.
async fn told(
    blank: Content,
    db: &Pool,
    (id, more): (Uuid, &[Uuid]),
    [subject, lede]: [&'static str; 2],
) -> Result<Content, ComposeError> {
    let (ticket, mut payout) = find(db, id).await?;
    let locale = blank.locale;
    let mut facts = facts(locale, &ticket);
    for id in more {
        let (ticket, own) = find(db, *id).await?;
        facts.push((locale.text("mail-fact-seats"), place_name(locale, &ticket.place)));
        payout = payout.checked_add(own).ok_or(ComposeError::Gone)?;
    }
    let subject = locale.text(subject).word("title", &ticket.title);
    facts.push((locale.text("mail-fact-payout"), blank.price(payout)));
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        greeting: greeting(locale, Some(&ticket.holder)),
        paragraphs: vec![locale.text(lede)],
        facts,
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..blank
    })
}

/// Returns the ticket of a return, and its payout.
async fn find(db: &Pool, id: Uuid) -> Result<(TicketTold, Points), ComposeError> {
    let sale = sales::find(db, id).await?.ok_or(ComposeError::Gone)?;
    let ticket = store::find_ticket(db, sale.ticket_id).await?.ok_or(ComposeError::Gone)?;
    Ok((ticket, sale.payout))
}
