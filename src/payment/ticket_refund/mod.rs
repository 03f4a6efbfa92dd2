//! Refund of tickets of an order: who paid for their places gives them back to the house, by the terms of the order.
//!
//! A place leaves its order as one does that is sold on (`reservation/returns`), but the **house** has it then: it is
//! free again, at its own price, and offered to the waiting list. What comes back is what the step of the terms that
//! holds gives of the place's price, less its part of the order's discount: as points, or what was bought with money to
//! the card. An order pays a fee once: each place bears its part of it, whether the places come back one by one or together.
//!
//! # Invariants
//!
//! * What is shown before is what comes back: a request names the points that were shown, and is refused if they
//!   are others now.
//! * The place, the ticket, the points and the mail change in one transaction, and the ticket comes back once:
//!   `ticket_returns_live_key`.
//! * Staff give tickets back for whom holds and paid for each, by the terms or all of what was paid.
//! * Tickets that the rest of their order needs stay in it (`reservation/order_rules`), and what may not be alone goes
//!   with what it belongs to.
//! * A ticket that was used, is on sale, offered, or with a holder who did not pay for it is not refunded.
//! * What was paid for the places of an order adds up to its total (`paid_for_place`), so all of them give one by one what
//!   they give together.
//!
//! # Concurrency
//!
//! The locks are those of a new return: the waiting list, the reservation, the seat or zone, then the ticket, whose
//! state and terms are read after that. So a refund of the whole order, a check-in, a hand-over and a second refund of
//! the ticket each come before it or after it.

pub mod error;
pub mod model;
pub mod pages;

use std::collections::{BTreeMap, HashMap};

use serde_json::json;
use uuid::Uuid;

use self::{
    error::TicketRefundError,
    model::{GivenBy, PlannedPlace, PlannedRefund, TicketRefundOrder, TicketRefunded},
};
use super::{refund::Share, store, to_cards::ToCards};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{ProgramId, RefundTarget, ScheduleId},
    events::{self, EventKind, NewEvent},
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, retry_stale},
        throwaway,
    },
    outbox::{self, AccountMail, Message},
    points::Points,
    reservation::{
        self, RefundShare, ReservationError, ReturnId,
        returns::{
            self as reserved, LockedPlaces,
            model::{HouseCause, NewReturn},
        },
    },
    tickets::{
        self, TicketStatus,
        returns::{error::TicketKept, lock_tickets, model::ReturnTerms},
    },
    wallet::{self, Kind, Movement, RefundCredit},
};

/// Refunds tickets; a `key` that did so before returns its first result.
pub(crate) async fn refund_tickets(
    app: &App,
    order: &TicketRefundOrder,
    key: Option<&RequestKey>,
) -> Result<TicketRefunded, TicketRefundError> {
    retry_stale(|_| refund_once(app, order, key)).await
}

async fn refund_once(
    app: &App,
    order: &TicketRefundOrder,
    key: Option<&RequestKey>,
) -> Result<TicketRefunded, TicketRefundError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(refunded) = key.claim(&mut tx).await?
    {
        return Ok(refunded);
    }
    let (refunded, schedule_id) = refund_in(&mut tx, order).await?;
    let refunded = commit_kept(&app.db, tx, key, refunded).await?;
    reservation::announce(app, schedule_id);
    Ok(refunded)
}

/// Refunds tickets in a transaction of the caller, who announces their performance.
pub async fn refund_in(
    tx: &mut Connection,
    order: &TicketRefundOrder,
) -> Result<(TicketRefunded, ScheduleId), TicketRefundError> {
    let found = lock_tickets(tx, &order.codes, &[]).await?;
    let (locked, terms) = found.ok_or(TicketRefundError::NotFound)?;
    let planned = plan(tx, order.by, &terms).await?;
    let sum = |of: fn(&PlannedPlace) -> Points| Points::sum(planned.places.iter().map(of));
    let sums = sum(|place| place.price).zip(sum(|place| place.refunded));
    let (price, refunded) = sums.ok_or(ReservationError::Inconsistent)?;
    if order.shown.is_some_and(|shown| shown != refunded) {
        return Err(TicketRefundError::Changed { refunded });
    }
    let new = terms.iter().zip(&planned.places).map(|(terms, planned)| NewReturn {
        id: ReturnId(new_id()),
        place: terms.place(),
        seller_id: planned.payer_id,
        payment_id: planned.payment_id,
        price: planned.price,
        fee_percent: 0,
        payout: planned.refunded,
    });
    let new: Vec<NewReturn> = new.collect();
    let to_cards = give_back(tx, order.target, (&locked, &new)).await?;
    tell(tx, &new, planned.program_id, &to_cards).await?;
    let [first, more @ ..] = new.as_slice() else { return Err(TicketRefundError::NotFound) };
    let (return_id, schedule_id) = (first.id, first.place.schedule_id);
    let more = more.iter().map(|each| each.id).collect();
    let to_cards = Points::sum(to_cards.into_values()).ok_or(ReservationError::Inconsistent)?;
    for _ in &new {
        metrics::counter!("stagedoor_ticket_refunds_total").increment(1);
    }
    Ok((TicketRefunded { return_id, more, price, refunded, to_cards }, schedule_id))
}

/// Gives locked places back to the house, voids their tickets, and credits the payer of each with what is given for it.
/// Returns the points of each payer that go on to the card.
async fn give_back(
    tx: &mut Connection,
    target: RefundTarget,
    (locked, new): (&LockedPlaces, &[NewReturn]),
) -> Result<HashMap<AccountId, Points>, TicketRefundError> {
    reserved::take_for_house(tx, locked, new, HouseCause::Refund).await?;
    let ids: Vec<_> = new.iter().map(|each| each.place.ticket_id).collect();
    tickets::void_sold(tx, &ids).await?;
    let refunds = new.iter().map(|each| RefundCredit {
        payer_id: each.seller_id,
        amount: each.payout,
        payment_id: each.payment_id,
    });
    let to_cards = ToCards::lock(tx, target, &refunds.collect::<Vec<_>>()).await?;
    let credits = new
        .iter()
        .map(|each| (each.seller_id, Movement::credit(Kind::Resale, each.payout, each.id.0)));
    wallet::give_back_all(tx, &credits.collect::<Vec<_>>()).await?;
    // A refund of the order tells what of it goes to the card: these points are none of it.
    Ok(to_cards.pay_out(tx, None).await?)
}

/// Returns what a refund of the tickets with these `terms`, of one order, gives now, or why it is refused.
async fn plan(
    tx: &mut Connection,
    by: GivenBy,
    terms: &[ReturnTerms],
) -> Result<PlannedRefund, TicketRefundError> {
    let planned = price(tx, by, terms).await?;
    let order = terms.first().ok_or(TicketRefundError::NotFound)?.reservation_id;
    let items: Vec<_> = terms.iter().map(|terms| terms.item_id).collect();
    reserved::require_dispensable_together(tx, order, &items).await?;
    Ok(planned)
}

/// Returns what each of these tickets gives, whatever the rest of their order needs.
async fn price(
    tx: &mut Connection,
    by: GivenBy,
    terms: &[ReturnTerms],
) -> Result<PlannedRefund, TicketRefundError> {
    for each in terms {
        require_own(by.account_of(each), each)?;
    }
    let order = terms.first().ok_or(TicketRefundError::NotFound)?.reservation_id;
    if matches!(by, GivenBy::Staff(of, _) if of != order) {
        return Err(TicketRefundError::NotFound);
    }
    let agreed = reservation::agreed_refund(tx, order).await?;
    let share = match by {
        GivenBy::Staff(_, Share::All | Share::Unused) => Some(RefundShare::ALL),
        GivenBy::Staff(_, Share::AsAgreed) | GivenBy::Payer(_) => agreed.share,
    };
    let share = share.ok_or(TicketRefundError::Over)?;
    let total = store::find_total(tx, order).await?.ok_or(ReservationError::Inconsistent)?;
    let ids: Vec<_> = terms.iter().map(|terms| terms.ticket_id).collect();
    let prices = store::list_paid_prices(tx, &ids).await?;
    if prices.len() != terms.len() {
        return Err(ReservationError::Inconsistent.into());
    }
    let places = terms.iter().zip(prices).map(|(terms, price)| {
        let (payment_id, refunded) = terms.payment_id.zip(share.of(price, total))?;
        Some(PlannedPlace { payer_id: terms.payer_id?, payment_id, price, refunded })
    });
    let places: Option<Vec<_>> = places.collect();
    let places = places.ok_or(ReservationError::Inconsistent)?;
    Ok(PlannedRefund { program_id: agreed.program_id, places })
}

/// Refuses a ticket that `account_id` may not give back to the house, whatever it would be given for it.
pub(super) fn require_own(account_id: AccountId, terms: &ReturnTerms) -> Result<(), TicketKept> {
    if terms.holder_id != account_id {
        return Err(TicketKept::NotFound);
    }
    if terms.status != TicketStatus::Valid || terms.is_cancelled {
        return Err(TicketKept::NotValid { status: terms.status });
    }
    if terms.return_id.is_some() {
        return Err(TicketKept::OnSale);
    }
    if terms.payer_id != Some(account_id) {
        return Err(TicketKept::NotPayer);
    }
    if terms.is_offered {
        return Err(TicketKept::Offered);
    }
    Ok(())
}

/// Writes one mail to each payer, and the events of the tickets, which a rehearsal has none of.
async fn tell(
    tx: &mut Connection,
    new: &[NewReturn],
    program_id: ProgramId,
    to_cards: &HashMap<AccountId, Points>,
) -> Result<(), sqlx::Error> {
    let mut of_payers: BTreeMap<Uuid, Vec<&NewReturn>> = BTreeMap::new();
    for each in new {
        of_payers.entry(each.seller_id.0).or_default().push(each);
    }
    let mails = of_payers.values().filter_map(|own| {
        let [first, more @ ..] = own.as_slice() else { return None };
        Some(AccountMail {
            account_id: first.seller_id,
            message: Message::TicketRefunded {
                return_id: first.id.0,
                more: more.iter().map(|each| each.id.0).collect(),
                to_cards: to_cards.get(&first.seller_id).copied().unwrap_or_default(),
            },
            order_key: format!("ticket:{}", first.place.ticket_id),
            dedupe_key: format!("ticket-refunded:{}", first.id),
        })
    });
    outbox::write_to_accounts(tx, &mails.collect::<Vec<_>>()).await?;
    if throwaway::is_marked(program_id.0) {
        return Ok(());
    }
    for &NewReturn { place, price, payout, .. } in new {
        let payload = json!({
            "ticket_id": place.ticket_id, "reservation_id": place.reservation_id,
            "program_id": program_id, "schedule_id": place.schedule_id,
            "price": price, "refunded": payout,
        });
        let kind = EventKind::TicketRefunded;
        events::write(tx, &NewEvent { kind, subject_id: place.ticket_id, payload }).await?;
    }
    Ok(())
}
