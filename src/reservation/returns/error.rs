//! Refusals of returns, of a buyer's payment and of what a seller does.

use serde_json::json;

use super::model::ReturnStatus;
use crate::{
    catalog::ScheduleSeatId,
    web::error::{HttpError, Problem},
};

/// Reason why a place on return is not bought, or taken back. The texts are for logs.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReturnRefusal {
    /// The door is open: what is on return is not sold any more.
    #[error("the door of the performance is open")]
    Closed,
    /// The hold has ended with a return that it awaited.
    #[error("the place is on return no more")]
    Gone,
    /// The return has ended.
    #[error("the return is {}", .0.as_ref())]
    Ended(ReturnStatus),
    /// Nobody holds the own place that is on return: its seller may take it back instead.
    #[error("{} of the seats are the own ones on return", .seat_ids.len())]
    Own {
        /// Seats that the account has put back on sale.
        seat_ids: Vec<ScheduleSeatId>,
    },
    /// Every place of the reservation was bought by others.
    #[error("every place was sold on")]
    AllSold,
    /// A hold with places that are on return is paid by one person.
    #[error("a hold of places on return is paid at once")]
    NotShareable,
}

impl HttpError for ReturnRefusal {
    fn problem(&self) -> Problem {
        match self {
            Self::Closed => Problem::new(410, "return-closed"),
            Self::Gone => Problem::new(409, "return-gone"),
            Self::Ended(status) => {
                Problem::new(409, "return-ended").with(json!({ "return_status": status }))
            }
            Self::Own { seat_ids } => Problem::new(409, "return-own")
                .recovery("/tickets")
                .with(json!({ "seat_ids": seat_ids })),
            Self::AllSold => Problem::new(409, "return-all-sold"),
            Self::NotShareable => Problem::new(409, "return-not-shared"),
        }
    }
}
