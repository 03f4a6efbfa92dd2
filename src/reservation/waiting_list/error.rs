//! Errors of waiting lists.

use super::model::WishStatus;
use crate::{
    infra::{batcher::BatchError, idempotency::KeyError},
    reservation::{ReservationError, model::ReservationId},
    web::error::{KitError, problems},
};

problems! {
    /// Reason why a wish was not made or not taken back.
    pub enum WaitingListError {
        /// The performance or the wish does not exist, or belongs to another account.
        NotFound => KitError::NotFound,
        /// The sale has not opened, and the list opens with it.
        NotOpen = 409 "waiting-list-not-open",
        /// The program is not on sale any more, or the performance is about to begin.
        SaleClosed => ReservationError::SaleClosed,
        WishedAlready = 409 "wished-already",
        /// Places of the wish are free now.
        PlacesFree = 409 "places-free",
        UnknownSection = 422 "unknown-section",
        /// The section has only `places_max` places of this price.
        MoreThanExist { places_max: i64 } = 422 "more-than-exist" { places_max }
            .number("count", places_max),
        TooMany { places_max: i64 } => ReservationError::TooMany { places_max: *places_max },
        /// With the wish the account would exceed its cap in the program.
        AccountLimit { places_max: i64 }
            => ReservationError::AccountLimit { places_max: *places_max },
        Full = 409 "waiting-list-full",
        /// The wish has its offer, which can be declined.
        Offered(id: ReservationId) = 409 "wish-offered" { reservation_id: id }
            .recovery(format!("/reservations/{id}")),
        Over(status: WishStatus) = 409 "wish-ended",
        /// Other requests were changing rows of the list.
        Busy => KitError::AlreadyProcessing.problem().retry_after(2),
    }
    wraps { Batch(#[from] BatchError), Key(#[from] KeyError), Database(sqlx::Error) }
    constraints { "wishes_waiting_key" => Self::WishedAlready, lock_timeout => Self::Busy }
    retried() or Self::Busy
}
