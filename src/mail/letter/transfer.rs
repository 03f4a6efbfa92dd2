//! Letters about points that one account offers to another.
//!
//! Names stand among the facts and in no subject: senders type their own.

use uuid::Uuid;

use super::{
    content::{Content, on_one_line},
    hand_over::greeting,
};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::{self, OfferedPoints},
    },
    outbox::Message,
    text::{
        prices::in_points,
        times::{self, in_full},
    },
    wallet::TransferStatus,
};

/// Writes the letter of a `message` about an offer; `None` where it is out of date.
pub(super) async fn tell(
    blank: Content,
    db: &Pool,
    id: Uuid,
    message: &Message,
) -> Result<Content, ComposeError> {
    let offer = store::find_offer(db, id).await?.ok_or(ComposeError::Gone)?;
    let path = format!("/wallet/transfers/{id}");
    let told = match message {
        Message::TransferReceived { .. } => Some(received(blank, &offer, &path)),
        Message::TransferWaiting { .. } => waiting(blank, &offer),
        Message::TransferExpiring { .. } => expiring(blank, &offer, &path),
        Message::TransferSettled { .. } => settled(blank, &offer),
        Message::TransferWithdrawn { .. } => Some(withdrawn(blank, &offer)),
        _ => return Err(ComposeError::UnknownMessage),
    };
    told.ok_or(ComposeError::Gone)
}

/// Tells the receiver of an offer.
fn received(blank: Content, offer: &OfferedPoints, path: &str) -> Content {
    let locale = blank.locale;
    let until = in_full(offer.expires_at, times::home(), locale);
    Content {
        subject: locale.text("mail-offer-subject").to_string(),
        greeting: greeting(locale, offer.to.as_deref()),
        paragraphs: vec![locale.text("mail-offer-lede")],
        facts: vec![
            (locale.text("mail-fact-from"), on_one_line(&offer.from)),
            (locale.text("mail-fact-points"), in_points(locale, offer.amount)),
            (locale.text("mail-fact-until"), until),
        ],
        action: Some((format!("{}{path}", blank.site), locale.text("mail-offer-action"))),
        notes: vec![locale.text("mail-offer-note")],
        ..blank
    }
}

/// Tells an address without an account that points wait for one; `None` if the offer is not open any
/// more. Nothing that the sender typed is in it.
fn waiting(blank: Content, offer: &OfferedPoints) -> Option<Content> {
    let locale = blank.locale;
    let until = in_full(offer.expires_at, times::home(), locale);
    (offer.status == TransferStatus::Pending).then(|| Content {
        subject: locale.text("mail-offer-subject").to_string(),
        paragraphs: vec![blank.naming("mail-waiting-lede")],
        facts: vec![
            (locale.text("mail-fact-points"), in_points(locale, offer.amount)),
            (locale.text("mail-fact-until"), until),
        ],
        action: Some((
            format!("{}/signup?next=/wallet", blank.site),
            locale.text("mail-waiting-action"),
        )),
        notes: vec![locale.text("mail-offer-note")],
        ..blank
    })
}

/// Tells the receiver that an offer ends soon; `None` if it is not open any more.
fn expiring(blank: Content, offer: &OfferedPoints, path: &str) -> Option<Content> {
    let locale = blank.locale;
    (offer.status == TransferStatus::Pending).then(|| Content {
        subject: locale.text("mail-expiring-subject").to_string(),
        paragraphs: vec![locale.text("mail-expiring-lede")],
        notes: Vec::new(),
        ..received(blank, offer, path)
    })
}

/// Tells the receiver that an offer has ended.
fn withdrawn(blank: Content, offer: &OfferedPoints) -> Content {
    let locale = blank.locale;
    Content {
        subject: locale.text("mail-offer-ended-subject").to_string(),
        greeting: greeting(locale, offer.to.as_deref()),
        paragraphs: vec![locale.text("mail-offer-ended-lede")],
        facts: vec![
            (locale.text("mail-fact-from"), on_one_line(&offer.from)),
            (locale.text("mail-fact-points"), in_points(locale, offer.amount)),
        ],
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..blank
    }
}

/// Tells the sender the outcome of an offer; `None` if it is still open. A sender who cancels gets no
/// mail, so a cancelled offer here ended because the points were taken back.
fn settled(blank: Content, offer: &OfferedPoints) -> Option<Content> {
    let locale = blank.locale;
    let (subject, lede) = match offer.status {
        TransferStatus::Accepted => ("mail-accepted-subject", "mail-accepted-lede"),
        TransferStatus::Rejected => ("mail-rejected-subject", "mail-rejected-lede"),
        TransferStatus::Expired => ("mail-expired-subject", "mail-expired-lede"),
        TransferStatus::Cancelled => ("mail-taken-back-subject", "mail-taken-back-lede"),
        TransferStatus::Planned | TransferStatus::Pending => return None,
    };
    // Only a receiver who accepted is named: a refusal would reveal who has the address.
    let to = match offer.status {
        TransferStatus::Accepted => offer.to.as_deref(),
        _ => offer.address.as_deref(),
    };
    let to = to.map(|to| (locale.text("mail-fact-to"), on_one_line(to)));
    let points = (locale.text("mail-fact-points"), in_points(locale, offer.amount));
    Some(Content {
        subject: locale.text(subject).to_string(),
        greeting: locale.text("mail-greeting").word("name", on_one_line(&offer.from)),
        paragraphs: vec![locale.text(lede)],
        facts: to.into_iter().chain([points]).collect(),
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..blank
    })
}
