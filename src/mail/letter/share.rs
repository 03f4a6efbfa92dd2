//! Letters to a friend about a share of a reservation.
//!
//! The holder's name stands among the facts and in no subject: people type their own.

use uuid::Uuid;

use super::{
    content::{Content, WIPED, on_one_line},
    reservation::place_name,
};
use crate::{
    infra::postgres::Pool,
    mail::{
        error::ComposeError,
        store::ReservedPlace,
        store::shares::{self, ShareTold},
    },
    outbox::MailSecret,
    points::Points,
    text::{
        i18n::{Locale, Phrase},
        times,
    },
};

/// Share with its places.
pub(super) struct SharedPart {
    share: ShareTold,
    places: Vec<ReservedPlace>,
}

/// Reads a share.
pub(super) async fn read(db: &Pool, id: Uuid) -> Result<SharedPart, ComposeError> {
    let share = shares::find_share(db, id).await?.ok_or(ComposeError::Gone)?;
    Ok(SharedPart { share, places: shares::list_share_places(db, id).await? })
}

/// Tells that places wait to be paid, with the link that its bearer pays by; `None` once they do not. Nothing that the
/// holder typed is in it.
pub(super) async fn offered(
    blank: Content,
    db: &Pool,
    id: Uuid,
    secret: Option<&MailSecret>,
) -> Result<Content, ComposeError> {
    let share = shares::find_offered(db, id).await?.ok_or(ComposeError::Gone)?;
    let places = shares::list_share_places(db, id).await?;
    let locale = blank.locale;
    let names: Vec<String> = places.iter().map(|place| place_name(locale, place)).collect();
    let on_clock = |moment| times::in_full(moment, times::zone(&share.time_zone), locale);
    let code = secret.map_or(WIPED, MailSecret::expose);
    Ok(Content {
        subject: locale.text("mail-share-offered-subject").to_string(),
        paragraphs: vec![blank.naming("mail-share-offered-lede")],
        facts: vec![
            (locale.text("mail-fact-program"), on_one_line(&share.title)),
            (locale.text("mail-fact-when"), on_clock(share.starts_at)),
            (locale.text("mail-fact-venue"), on_one_line(&share.venue)),
            (locale.text("mail-fact-seats"), names.join(" / ")),
            (locale.text("mail-fact-share"), blank.price(share.amount)),
            (locale.text("mail-fact-until"), on_clock(share.expires_at)),
        ],
        action: Some((
            format!("{}/shares/{code}", blank.site),
            locale.text("mail-share-offered-action"),
        )),
        notes: vec![locale.text("mail-share-offered-note")],
        ..blank
    })
}

/// Tells that all have paid, and that the tickets are there.
pub(super) fn paid(blank: Content, part: &SharedPart) -> Content {
    let (locale, share) = (blank.locale, &part.share);
    let subject = locale.text("mail-paid-subject").word("title", &share.title);
    let amount = (locale.text("mail-fact-share"), blank.price(share.amount));
    Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: vec![locale.text("mail-share-paid-lede")],
        action: Some((format!("{}/tickets", blank.site), locale.text("mail-paid-action"))),
        ..about(blank, part, amount)
    }
}

/// Tells that the share ended unpaid.
pub(super) fn returned(blank: Content, part: &SharedPart) -> Content {
    ended(blank, part, "mail-share-returned-subject", "mail-share-returned-lede")
}

/// Tells that the share ended because the points for it were taken back.
pub(super) fn taken_back(blank: Content, part: &SharedPart) -> Content {
    ended(blank, part, "mail-share-taken-back-subject", "mail-share-taken-back-lede")
}

fn ended(blank: Content, part: &SharedPart, subject: &'static str, lede: &'static str) -> Content {
    let (locale, share) = (blank.locale, &part.share);
    let subject = locale.text(subject).word("title", &share.title);
    let amount = (locale.text("mail-fact-share"), blank.price(share.amount));
    Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: vec![locale.text(lede)],
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..about(blank, part, amount)
    }
}

/// Tells that the reservation was refunded.
pub(super) fn refunded(
    blank: Content,
    part: &SharedPart,
    refunded: Points,
    to_card: Option<String>,
) -> Content {
    let (locale, share) = (blank.locale, &part.share);
    let subject = locale.text("mail-refunded-subject").word("title", &share.title);
    let refunded = (locale.text("mail-fact-refunded"), blank.price(refunded));
    let to_card = to_card.map(|money| (locale.text("mail-fact-to-card"), money));
    let mut content = Content {
        subject: on_one_line(&subject.to_string()),
        paragraphs: vec![locale.text("mail-share-refunded-lede")],
        action: Some((format!("{}/wallet", blank.site), locale.text("mail-refunded-action"))),
        ..about(blank, part, refunded)
    };
    content.facts.extend(to_card);
    content
}

/// Greets the payer and names the reservation of the share, with the fact `last` below.
fn about(blank: Content, part: &SharedPart, last: (Phrase, String)) -> Content {
    let locale = blank.locale;
    let payer = on_one_line(&part.share.payer);
    Content {
        greeting: locale.text("mail-greeting").word("name", payer),
        facts: facts(locale, part).into_iter().chain([last]).collect(),
        ..blank
    }
}

fn facts(locale: Locale, part: &SharedPart) -> Vec<(Phrase, String)> {
    let share = &part.share;
    let starts_at = times::in_full(share.starts_at, times::zone(&share.time_zone), locale);
    let names: Vec<String> = part.places.iter().map(|place| place_name(locale, place)).collect();
    vec![
        (locale.text("mail-fact-holder"), on_one_line(&share.holder)),
        (locale.text("mail-fact-program"), on_one_line(&share.title)),
        (locale.text("mail-fact-when"), starts_at),
        (locale.text("mail-fact-venue"), on_one_line(&share.venue)),
        (locale.text("mail-fact-seats"), names.join(" / ")),
    ]
}
