//! Errors of paying together.

use serde_json::json;

use super::model::{FRIENDS_MAX, SHARES_MAX, ShareStatus};
use crate::{
    infra::{
        idempotency::KeyError,
        postgres::{Contention, is_lock_timeout, violated_constraint},
    },
    payment::error::PaymentError,
    reservation::ReservationError,
    tickets::TicketError,
    wallet::WalletError,
    web::error::{HttpError, Problem},
};

/// Page that sends a link to confirm the address.
const CONFIRMATION_PATH: &str = "/account/address/confirmation";

/// Reason why no share was made, paid or ended. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShareError {
    /// The share does not exist, or is not up to the account.
    #[error("no such share")]
    NotFound,
    /// The request names no place of the reservation.
    #[error("no place of the reservation is named")]
    NoPlaces,
    /// A place is in another share.
    #[error("a place is in another share")]
    PlaceTaken,
    /// Every place is in a share: nothing is left for the holder to pay.
    #[error("every place is in a share")]
    NothingLeft,
    /// The reservation has the maximum number of live shares with a link.
    #[error("{FRIENDS_MAX} shares are open or withheld")]
    TooManyFriends,
    /// The reservation had the maximum number of shares.
    #[error("{SHARES_MAX} shares were made")]
    TooManyShares,
    /// The holder opened the link of a friend.
    #[error("the holder pays by another button")]
    OwnLink,
    /// Somebody has paid the share.
    #[error("somebody has paid the share")]
    Taken,
    /// The account has not paid the share, so it has nothing to withdraw.
    #[error("the account has not paid the share")]
    NotPaid,
    /// The share has ended.
    #[error("the share is {0:?}")]
    Ended(ShareStatus),
    /// The hold of the share has ended.
    #[error("the hold has ended")]
    HoldOver,
    /// The program asks for a confirmed address, and the payer has none.
    #[error("the payer's address is not confirmed")]
    AddressUnconfirmed,
    /// The payment or the wallet refused.
    #[error(transparent)]
    Payment(#[from] PaymentError),
}

impl From<ReservationError> for ShareError {
    fn from(error: ReservationError) -> Self {
        Self::Payment(error.into())
    }
}

impl From<WalletError> for ShareError {
    fn from(error: WalletError) -> Self {
        Self::Payment(error.into())
    }
}

impl From<TicketError> for ShareError {
    fn from(error: TicketError) -> Self {
        Self::Payment(error.into())
    }
}

impl From<KeyError> for ShareError {
    fn from(error: KeyError) -> Self {
        Self::Payment(error.into())
    }
}

impl From<sqlx::Error> for ShareError {
    fn from(error: sqlx::Error) -> Self {
        match violated_constraint(&error) {
            Some("share_places_live_key") => Self::PlaceTaken,
            _ if is_lock_timeout(&error) => Self::Payment(PaymentError::Contended),
            _ => Self::Payment(error.into()),
        }
    }
}

impl Contention for ShareError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Payment(error) if error.is_stale())
    }

    fn contended() -> Self {
        Self::Payment(PaymentError::Contended)
    }
}

impl HttpError for ShareError {
    fn problem(&self) -> Problem {
        match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::NoPlaces => Problem::new(422, "share-no-places"),
            Self::PlaceTaken => Problem::new(409, "share-place-taken"),
            Self::NothingLeft => Problem::new(409, "share-nothing-left"),
            Self::TooManyFriends => Problem::new(409, "share-limit")
                .with(json!({ "limit": FRIENDS_MAX }))
                .number("limit", i64::try_from(FRIENDS_MAX).unwrap_or_default()),
            Self::TooManyShares => Problem::new(409, "share-too-often"),
            Self::OwnLink => Problem::new(422, "share-own-link").recovery("/reservations"),
            Self::Taken => Problem::new(409, "share-taken"),
            Self::NotPaid => Problem::new(409, "share-not-paid"),
            Self::Ended(status) => {
                Problem::new(410, "share-ended").with(json!({ "share_status": status }))
            }
            Self::HoldOver => Problem::new(410, "share-hold-over"),
            // The page does not lead back: what leads on is stored with the mail, and the code in the
            // share's link is not.
            Self::AddressUnconfirmed => Problem::new(403, "share-unconfirmed")
                .with(json!({ "confirmation_url": CONFIRMATION_PATH }))
                .recovery(CONFIRMATION_PATH),
            Self::Payment(error) => error.problem(),
        }
    }
}
