//! Letter about money that did not reach its card.

use uuid::Uuid;

use super::{
    content::{Content, on_one_line},
    hand_over::greeting,
};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::payouts::{self, FailedPayout},
    },
    text::prices::in_points,
};

/// Tells the person that the money could not be sent, and that the points are back.
pub(super) async fn failed(blank: Content, db: &Pool, id: Uuid) -> Result<Content, ComposeError> {
    let failed = payouts::find(db, id).await?.ok_or(ComposeError::Gone)?;
    let locale = blank.locale;
    let FailedPayout { name, points: back, .. } = &failed;
    let subject = locale.text("mail-payout-failed-subject").word("amount", failed.money());
    let amount = (locale.text("mail-fact-payout-amount"), failed.money());
    let returned = (locale.text("mail-fact-payout-points"), in_points(locale, *back));
    Ok(Content {
        subject: on_one_line(&subject.to_string()),
        greeting: greeting(locale, Some(name)),
        paragraphs: vec![locale.text("mail-payout-failed-lede")],
        facts: vec![amount, returned],
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..blank
    })
}
