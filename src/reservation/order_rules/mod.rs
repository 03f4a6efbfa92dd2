//! Rules of an order that hold as long as the order lives, and are checked again before a place
//! leaves it.
//!
//! A place **leaves** its order when its ticket is resold (`returns`). The remaining places keep to
//! the rules by which the order was held: each place of a price type has the company that its terms
//! ask for, a companion's place that was held while such places were kept has its wheelchair place,
//! and the order has the minimum number of places that was stored with it. The greatest number of a
//! type cannot be exceeded by a place that leaves. The rules are read from the data stored with the
//! order, so later settings do not matter.
//!
//! Any of the open returns of an order may be sold first. So an order is judged as if every place
//! on return that others depend on had left, and every place on return that depends on others had
//! stayed. A sale then breaks no rule, in any order of sales; it is checked once more
//! (`broken_by_sale`) for returns that are older than this check.
//!
//! These do not leave an order:
//!
//! * A ticket that is handed over. Its place stays in the order and its holder comes to the same
//!   performance, so the places beside it keep their company. Only its payer may put it on sale.
//! * A place that a friend pays for by a share. A share only decides who pays; a friend who sells
//!   the ticket is bound by the rules of the whole order.
//! * An order that is refunded leaves nothing behind, except companions' places in other orders of
//!   its account, which the owner gives back first.

pub mod error;
pub mod model;
pub mod store;

use self::model::LiveOrder;
use super::{error::ReservationError, model::ReservationId};
use crate::infra::postgres::Connection;

/// Refuses the refund of a locked order beside which another order of its account would break a rule.
pub async fn require_refundable(
    tx: &mut Connection,
    id: ReservationId,
) -> Result<(), ReservationError> {
    let orders = store::list_orders(&mut *tx, &[id]).await?;
    refuse(orders.iter().find_map(LiveOrder::broken_by_refund))
}

/// Refuses if a rule is broken.
pub fn refuse(broken: Option<error::BrokenRule>) -> Result<(), ReservationError> {
    broken.map_or(Ok(()), |rule| Err(rule.into()))
}
