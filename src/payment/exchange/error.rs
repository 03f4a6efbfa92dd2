//! Errors of exchanges.

use chrono::{DateTime, Utc};

use crate::{
    infra::idempotency::KeyError,
    reservation::{ReservationError, ReservationId},
    tickets::{TicketError, returns::error::TicketKept},
    web::error::{KitError, problems},
};

problems! {
    /// Reason why no exchange was begun, ended or carried out.
    pub enum ExchangeError {
        /// The order or the exchange does not exist, or is not the account's.
        NotFound => KitError::NotFound,
        /// No ticket was chosen.
        NoTickets = 422 "exchange-no-tickets",
        /// The tickets of the order are exchanged by staff alone.
        NotOffered = 409 "exchange-not-offered",
        /// The time in which the tickets may be exchanged is over.
        Over { until: DateTime<Utc> } = 409 "exchange-over" { until },
        /// A ticket that was to be given has another holder by now.
        GivenAway = 409 "exchange-given-away",
        /// A hold that was made in an exchange is still to be paid with its tickets.
        Held { reservation_id: ReservationId } = 409 "exchange-held" { reservation_id }
            .recovery("/reservations"),
        /// Without the tickets that were to be given, the account would have more places than it may.
        PlacesOverMax { places_max: i64 } = 409 "exchange-needed" { places_max }
            .number("count", places_max).recovery("/reservations"),
        Contended => KitError::Contended,
    }
    wraps {
        Ticket(#[from] TicketKept), Reservation(#[from] ReservationError),
        Void(#[from] TicketError), Key(#[from] KeyError), Database(sqlx::Error),
    }
    each.or_recovery("/tickets")
    constraints { "exchanges_open_key" => Self::Contended, lock_timeout => Self::Contended }
    retried() or Self::Contended
}
