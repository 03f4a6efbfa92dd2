//! Exchange that staff carry out for an account: its tickets, other places and the difference in one transaction.

use super::{
    error::PaymentError,
    exchange::{self, error::ExchangeError, model::ExchangeOrder},
    model::Paid,
    pay::{PaidHold, pay_in},
};
use crate::{
    app::App,
    catalog::ScheduleId,
    infra::postgres::Connection,
    points::Points,
    reservation::{self, ReservationId, waiting_list::model::WishOrder},
};

/// Command to give tickets of an account for other places of the show, whatever the show asks of an exchange.
#[derive(Clone, Debug)]
pub struct StaffExchange {
    /// Tickets, and the account that they are of.
    pub order: ExchangeOrder,
    /// Points that each ticket is worth less than what was paid for it.
    pub fee: Points,
    /// Performance of the other places.
    pub schedule_id: ScheduleId,
    /// Places that are wanted, of which the best are taken.
    pub places: WishOrder,
}

/// Carries an exchange out in a transaction of the caller, who announces the performances. Returns the order of the
/// other places. The account's wallet pays what the places cost more, and gets what they cost less; it needs no
/// admission.
pub async fn exchange_for(
    app: &App,
    tx: &mut Connection,
    command: &StaffExchange,
) -> Result<(ReservationId, Paid, Vec<ScheduleId>), PaymentError> {
    let StaffExchange { order, fee, schedule_id, places } = command;
    let begun = exchange::open(tx, order, Some(*fee)).await?;
    let account_id = order.account_id;
    let program_id = begun.program_id;
    let held = reservation::assign(tx, account_id, program_id, *schedule_id, places).await;
    let held = held.map_err(ExchangeError::from)?;
    let PaidHold { paid, schedules, .. } = pay_in(app, tx, account_id, held).await?;
    Ok((held, paid, schedules))
}
