//! Letters: the texts of mails, in the languages of `locales/`.

mod account;
mod content;
mod hand_over;
mod office_letter;
mod own_tickets;
mod payout;
mod performance;
mod resale;
mod reservation;
mod sender;
mod share;
mod transfer;
mod turn;
mod waiting;

use askama::Template;
use uuid::Uuid;

use self::content::Content;
pub use self::sender::Sender;
use crate::{
    accounts::mail_choices::UNSUBSCRIPTION_PATH,
    infra::postgres::Pool,
    mail::{error::ComposeError, store::payouts},
    outbox::{Message, StoredMail},
};

/// Mail as its reader sees it.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Subject, on one line.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The same as a page that loads nothing.
    pub html: String,
    /// Where the mails of this topic are ended; `None` where they cannot be declined.
    pub unsubscription: Option<String>,
}

/// Rendered by `mail/letter.html`.
#[derive(Template)]
#[template(path = "mail/letter.html")]
struct LetterPage<'a> {
    content: &'a Content,
}

/// Rendered by `mail/letter.txt`.
#[derive(Template)]
#[template(path = "mail/letter.txt")]
struct LetterText<'a> {
    content: &'a Content,
}

/// Writes the letter of `mail` about `message`; its links begin with the site of `from`. The link that ends
/// its topic has `token`, or else leads nowhere.
pub(super) async fn write(
    db: &Pool,
    from: Sender,
    mail: &StoredMail,
    message: &Message,
    token: Option<&str>,
) -> Result<Letter, ComposeError> {
    let unsubscription = mail.declinable_by.map(|_| {
        format!("{}{UNSUBSCRIPTION_PATH}?token={}", from.site, token.unwrap_or(content::WIPED))
    });
    let blank = Content { unsubscription, ..Content::blank(mail.locale, from) };
    let content = content_of(db, blank, mail, message).await?;
    Ok(Letter {
        text: LetterText { content: &content }.render()?,
        html: LetterPage { content: &content }.render()?,
        subject: content.subject,
        unsubscription: content.unsubscription,
    })
}

/// Fills an empty letter with the content of `message`.
async fn content_of(
    db: &Pool,
    blank: Content,
    mail: &StoredMail,
    message: &Message,
) -> Result<Content, ComposeError> {
    Ok(match message {
        Message::ResetPassword => account::reset_password(blank, mail.secret.as_ref()),
        Message::ConfirmAddress => account::confirm_address(blank, mail.secret.as_ref()),
        Message::PasswordChanged => account::password_changed(blank),
        Message::AddressChangeAsked { to } => account::address_change_asked(blank, to),
        Message::AddressChanged { to } => account::address_changed(blank, to),
        Message::AccountDeleted => account::deleted(blank),
        Message::SignInProtectionChanged { change } => account::protection_changed(blank, *change),
        Message::ApiKeysEnded { keys } => account::keys_ended(blank, *keys),
        Message::ReservationPaid { reservation_id }
        | Message::TicketsExchanged { reservation_id, .. }
        | Message::ReturnGone { reservation_id } => {
            let reserved = reservation::read(db, *reservation_id).await?;
            reservation::tell(blank, &reserved, message)?
        }
        Message::PlacesOffered { reservation_id } => {
            let event = reservation::read(db, *reservation_id).await?;
            reservation::offered(blank, &event, *reservation_id).ok_or(ComposeError::Gone)?
        }
        Message::ReservationRefunded { reservation_id, .. }
        | Message::ProgramCancelled { reservation_id, .. } => {
            given_back(blank, db, *reservation_id, message).await?
        }
        Message::PayoutFailed { payout_id } => payout::failed(blank, db, *payout_id).await?,
        Message::TransferReceived { transfer_id }
        | Message::TransferWaiting { transfer_id }
        | Message::TransferExpiring { transfer_id }
        | Message::TransferSettled { transfer_id }
        | Message::TransferWithdrawn { transfer_id } => {
            transfer::tell(blank, db, *transfer_id, message).await?
        }
        Message::HandOverOffered { hand_over_id }
        | Message::HandOverWaiting { hand_over_id }
        | Message::HandOverEnded { hand_over_id }
        | Message::HandOverWithdrawn { hand_over_id } => {
            hand_over::tell(blank, db, *hand_over_id, message).await?
        }
        Message::TicketVoided { ticket_id } => hand_over::voided(blank, db, *ticket_id).await?,
        Message::TicketSold { return_id } => resale::sold(blank, db, *return_id).await?,
        Message::TicketRefunded { .. } => resale::refunded(blank, db, message).await?,
        Message::PerformanceMoved { .. }
        | Message::PerformanceChanged { .. }
        | Message::PerformanceCancelled { .. }
        | Message::PricesChanged { .. }
        | Message::SectionHidden { .. }
        | Message::OfficeLetter { .. } => of_performance(blank, db, message).await?,
        Message::Reminder { .. } | Message::TicketsAgain { .. } => {
            own_tickets::tell(blank, db, mail, message).await?
        }
        Message::ShareOffered { share_id: id }
        | Message::SharePaid { share_id: id }
        | Message::ShareReturned { share_id: id }
        | Message::ShareTakenBack { share_id: id }
        | Message::ShareRefunded { share_id: id, .. } => of_share(blank, db, *id, mail).await?,
        Message::QueueTurn { token_id } => turn::tell(blank, db, *token_id).await?,
        Message::QueueCancelled { token_id } => turn::cancelled(blank, db, *token_id).await?,
    })
}

/// Fills an empty letter about a refund, with the money of it that goes back to the card.
async fn given_back(
    blank: Content,
    db: &Pool,
    reservation_id: Uuid,
    message: &Message,
) -> Result<Content, ComposeError> {
    let event = reservation::read(db, reservation_id).await?;
    let to_card = payouts::money_to_owner(db, reservation_id).await?;
    reservation::given_back(blank, &event, message, to_card)
}

/// Fills an empty letter about a share of a reservation.
async fn of_share(
    blank: Content,
    db: &Pool,
    share_id: Uuid,
    mail: &StoredMail,
) -> Result<Content, ComposeError> {
    let message = mail.message.as_ref().ok_or(ComposeError::UnknownMessage)?;
    if let Message::ShareOffered { .. } = message {
        return share::offered(blank, db, share_id, mail.secret.as_ref()).await;
    }
    let part = share::read(db, share_id).await?;
    Ok(match message {
        Message::SharePaid { .. } => share::paid(blank, &part),
        Message::ShareReturned { .. } => share::returned(blank, &part),
        Message::ShareTakenBack { .. } => share::taken_back(blank, &part),
        Message::ShareRefunded { refunded, .. } => {
            let to_card = payouts::money_to_payer(db, share_id).await?;
            share::refunded(blank, &part, *refunded, to_card)
        }
        _ => return Err(ComposeError::UnknownMessage),
    })
}

/// Fills an empty letter about a performance rather than about a purchase.
async fn of_performance(
    blank: Content,
    db: &Pool,
    message: &Message,
) -> Result<Content, ComposeError> {
    match message {
        Message::PerformanceMoved { .. } => performance::moved(blank, db, message).await,
        Message::PerformanceChanged { .. } => performance::changed(blank, db, message).await,
        Message::PerformanceCancelled { program_id, schedule_id, is_waiting } => {
            waiting::cancelled(blank, db, (*program_id, *schedule_id), *is_waiting).await
        }
        Message::PricesChanged { schedule_id, prices, n_more } => {
            waiting::repriced(blank, db, *schedule_id, (prices, *n_more)).await
        }
        Message::SectionHidden { schedule_id, section, is_hidden } => {
            waiting::hidden(blank, db, *schedule_id, (section, *is_hidden)).await
        }
        Message::OfficeLetter { letter_id, is_test, .. } => {
            office_letter::tell(blank, db, *letter_id, *is_test).await
        }
        _ => Err(ComposeError::UnknownMessage),
    }
}
