//! Rules of an order that hold as long as the order lives, and are asked again before a place leaves it.
//!
//! A place **leaves** its order when its ticket is sold on (`returns`). What is left keeps to the rules by
//! which the order was held: each place of a price type has beside it what its terms ask for, a
//! companion's place that was held while such places were kept has its wheelchair place, and the order
//! has the least number of places that was kept with it. A type's greatest number is never exceeded by
//! what leaves. The rules are read from what was kept with the order, so no setting of today judges it.
//!
//! Several open returns of one order leave together, or some of them do: an order is judged as if every
//! place on return that others depend on had left, and every one that depends on others had stayed. So a
//! sale never finds a rule broken, whichever is sold first; it is asked once more (`broken_by_sale`) for
//! returns that are older than this rule.
//!
//! What does not leave an order:
//!
//! * A ticket that is handed over. Its place stays in the order and its holder comes to the same
//!   performance, so nothing that came with it is alone. Only who paid may put it on sale.
//! * A place that a friend pays for by a share. A share says who pays; the order is one, and a friend who
//!   sells the ticket is asked for all of it.
//! * An order that is refunded leaves nothing behind but companions' places in other orders of its account,
//!   which its owner gives back first.

pub(crate) mod error;
pub(crate) mod model;
pub(crate) mod store;

use self::model::LiveOrder;
use super::{error::ReservationError, model::ReservationId};
use crate::infra::postgres::Connection;

/// Refuses the refund of a locked order beside which another order of its account would break a rule.
pub(crate) async fn require_refundable(
    tx: &mut Connection,
    id: ReservationId,
) -> Result<(), ReservationError> {
    let orders = store::list_orders(&mut *tx, &[id]).await?;
    refuse(orders.iter().find_map(LiveOrder::broken_by_refund))
}

/// Refuses what breaks a rule.
pub(crate) fn refuse(broken: Option<error::BrokenRule>) -> Result<(), ReservationError> {
    broken.map_or(Ok(()), |rule| Err(rule.into()))
}
