//! Refusals of returns, for their buyers and their sellers.

use super::model::ReturnStatus;
use crate::{catalog::ScheduleSeatId, web::error::problems};

problems! {
    /// Reason why a place on return is not bought, or taken back.
    #[derive(Clone)]
    pub enum ReturnRefusal {
        /// The door of the performance is open: places on return are not sold any more.
        Closed = 410 "return-closed",
        /// The return that a hold awaited has ended.
        Gone = 409 "return-gone",
        Ended(status: ReturnStatus) = 409 "return-ended" { return_status: status },
        /// The account has put the seats back on sale itself: it may take them back instead.
        Own { seat_ids: Vec<ScheduleSeatId> } = 409 "return-own" { seat_ids }.recovery("/tickets"),
        AllSold = 409 "return-all-sold",
        /// A hold with places on return is paid at once, by one account.
        NotShareable = 409 "return-not-shared",
    }
}
