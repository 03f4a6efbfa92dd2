//! Exchange of an account's tickets for other places of the show by staff, whatever the show asks of an exchange.
//!
//! The account needs no admission and does nothing itself: its tickets, the best places that fit, the difference in its
//! wallet and the entry in the log are one transaction. It gets the mails of any other exchange.

pub mod pages;

use std::cell::RefCell;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{AccountError, AccountId},
    admin::error::AdminError,
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::ScheduleId,
    infra::{
        idempotency::RequestKey,
        postgres::{Connection, retry_stale},
        throwaway,
    },
    payment::{
        exchange::model::ExchangeOrder,
        staff_exchange::{StaffExchange, exchange_for},
    },
    points::Points,
    reservation::{self, ReservationId},
    tickets::TicketCode,
};

/// Exchange that staff carried out; also stored as the outcome of its request key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exchanged {
    /// Reservation of the other places.
    pub order_id: ReservationId,
    /// Codes of its tickets.
    pub tickets: Vec<TicketCode>,
    /// Points that its places cost.
    pub amount: Points,
    /// Points that are left in the account's wallet.
    pub balance: Points,
}

/// Carries an exchange out for an account; once for each `key`.
async fn exchange(
    app: &App,
    by: AccountId,
    command: &StaffExchange,
    reason: &Reason,
    key: Option<&RequestKey>,
) -> Result<Exchanged, AdminError> {
    let ExchangeOrder { account_id, reservation_id, .. } = command.order;
    if throwaway::is_marked(account_id.0) {
        return Err(AccountError::Rehearsed.into());
    }
    // Nothing is announced for a repeated request.
    let changed: RefCell<Vec<ScheduleId>> = RefCell::default();
    let carry_out = async |tx: &mut Connection| {
        let (order_id, paid, schedules) = exchange_for(app, tx, command).await?;
        changed.replace(schedules);
        let (amount, balance) = (paid.amount, paid.balance);
        let exchanged = Exchanged { order_id, tickets: paid.tickets, amount, balance };
        let entry = AuditEntry::new(by, Act::Exchanged, Subject::Reservation, reservation_id.0);
        let entry = entry.because(reason).after(&exchanged);
        Ok::<_, AdminError>((exchanged, entry))
    };
    let exchanged = retry_stale(|_| audit::perform_once(app, key, &carry_out)).await?;
    for schedule_id in changed.take() {
        reservation::announce(app, schedule_id);
    }
    Ok(exchanged)
}
