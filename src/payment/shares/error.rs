//! Errors of paying together.

use super::model::{FRIENDS_MAX, ShareStatus};
use crate::{
    accounts::ADDRESS_CONFIRMATION_PATH,
    infra::idempotency::KeyError,
    payment::error::{PaymentError, is_final},
    reservation::ReservationError,
    tickets::TicketError,
    wallet::WalletError,
    web::error::{HttpError, KitError, problems},
};

impl ShareError {
    /// Whether a repetition would be refused as well.
    pub(crate) fn is_final(&self) -> bool {
        is_final(&self.problem())
    }

    /// Whether the time of the hold has run out.
    pub(crate) fn is_hold_over(&self) -> bool {
        match self {
            Self::HoldOver => true,
            Self::Payment(error) => error.is_hold_over(),
            _ => false,
        }
    }
}

problems! {
    /// Reason why no share was made, paid or ended.
    pub enum ShareError {
        /// The share does not exist, or is not up to the account.
        NotFound => KitError::NotFound,
        NoPlaces = 422 "share-no-places",
        PlaceTaken = 409 "share-place-taken",
        /// Every place is in a share: nothing is left for the holder to pay.
        NothingLeft = 409 "share-nothing-left",
        /// The reservation has the maximum number of live shares with a link.
        TooManyFriends = 409 "share-limit" { limit: FRIENDS_MAX }.number("limit", FRIENDS_MAX),
        /// The reservation had the maximum number of shares.
        TooManyShares = 409 "share-too-often",
        /// A hold that tickets are given for is paid at once, by one account.
        OfExchange = 409 "share-of-exchange".recovery("/reservations"),
        /// The holder opened the link of a friend.
        OwnLink = 422 "share-own-link".recovery("/reservations"),
        Taken = 409 "share-taken",
        /// The account has not paid the share, so it has nothing to withdraw.
        NotPaid = 409 "share-not-paid",
        Ended(status: ShareStatus) = 410 "share-ended" { share_status: status },
        HoldOver = 410 "share-hold-over",
        /// The program asks for a confirmed address, and the payer has none. The page does not lead back:
        /// the address that leads on is stored with the mail, and the code in the share's link is not.
        AddressUnconfirmed = 403 "share-unconfirmed" { confirmation_url: ADDRESS_CONFIRMATION_PATH }
            .recovery(ADDRESS_CONFIRMATION_PATH),
    }
    wraps { Payment(#[from] PaymentError), Database(sqlx::Error) }
    via Payment { ReservationError, WalletError, TicketError, KeyError }
    constraints {
        "share_places_live_key" => Self::PlaceTaken,
        "payments_live_key" => ReservationError::AlreadyPaid.into(),
        lock_timeout => Self::Payment(PaymentError::Contended)
    }
    retried() or Self::Payment(PaymentError::Contended)
}
