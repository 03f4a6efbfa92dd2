//! Rows of one transaction with all that their entries need, and the entries that are made of them.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    accounts::AccountId,
    infra::{ids::new_id, postgres::Connection},
    payment::PaymentId,
    receipts::{
        lines::{self, LeftItem, PaidItem},
        model::{
            SaleChannel, SaleEntry, SaleEntryId, SaleEntryKind, SaleLine, SaleTerms, SoldOrder,
        },
        store::{
            booked,
            due::{self, DueKind, DueRow, PaidPayment, ReturnedPlace},
        },
    },
    reservation::{ReservationId, ReservationItemId},
};

/// Entry with whose it is.
#[derive(Clone, Debug)]
pub(super) struct MadeEntry {
    pub entry: SaleEntry,
    pub account_id: AccountId,
    /// Name or company that the receipt of the payment has.
    pub buyer: String,
}

/// Booked payment: what its refunds continue.
#[derive(Clone, Debug)]
struct BookedPayment {
    order: SoldOrder,
    buyer: String,
    left: Vec<LeftItem>,
}

/// Rows with all that their entries need.
pub(super) struct BookedPart {
    /// Terms of what is sold now.
    terms: SaleTerms,
    /// Moment before which no tax was stated.
    taxed_from: DateTime<Utc>,
    payments: Vec<PaidPayment>,
    items: HashMap<ReservationId, Vec<PaidItem>>,
    share_places: HashSet<(PaymentId, ReservationItemId, i32)>,
    returned: HashMap<Uuid, ReturnedPlace>,
    booked: HashMap<PaymentId, BookedPayment>,
    /// References of the entries that were booked before, with their kinds.
    known: HashSet<(Uuid, SaleEntryKind)>,
    made: Vec<MadeEntry>,
}

impl BookedPart {
    /// Reads what the entries of `rows` need.
    pub(super) async fn read(
        tx: &mut Connection,
        rows: &[DueRow],
        (terms, taxed_from): (SaleTerms, DateTime<Utc>),
    ) -> Result<Self, sqlx::Error> {
        let ids = |is_return: bool| {
            let is_asked = move |row: &&DueRow| (row.kind == DueKind::Returned) == is_return;
            rows.iter().filter(is_asked).map(|row| row.id)
        };
        let returns: Vec<Uuid> = ids(true).collect();
        let places = due::list_places(tx, &returns).await?;
        let orders = ids(false).chain(places.iter().map(|place| place.reservation_id.0));
        let orders: Vec<Uuid> = orders.collect::<HashSet<_>>().into_iter().collect();
        let payments = due::list_payments(tx, &orders).await?;
        let mut items: HashMap<ReservationId, Vec<PaidItem>> = HashMap::new();
        for (of, item) in due::list_items(tx, &orders).await? {
            items.entry(of).or_default().push(item);
        }
        let payment_ids: Vec<Uuid> = payments.iter().map(|payment| payment.id.0).collect();
        let share_places = due::list_share_places(tx, &payment_ids).await?;
        let mut booked: HashMap<PaymentId, BookedPayment> = HashMap::new();
        for (id, order, buyer) in booked::list_orders(tx, &payment_ids).await? {
            booked.insert(id, BookedPayment { order, buyer, left: Vec::new() });
        }
        for (id, left) in booked::list_left(tx, &payment_ids).await? {
            if let Some(payment) = booked.get_mut(&id) {
                payment.left.push(left);
            }
        }
        let references: Vec<Uuid> = payment_ids.into_iter().chain(returns).collect();
        let known = booked::list_references(tx, &references).await?;
        Ok(Self {
            terms,
            taxed_from,
            payments,
            items,
            share_places: share_places.into_iter().collect(),
            returned: places.into_iter().map(|place| (place.id, place)).collect(),
            booked,
            known: known.into_iter().collect(),
            made: Vec::new(),
        })
    }

    /// Returns the entries that were made, in the order of time.
    pub(super) fn made(&self) -> &[MadeEntry] {
        &self.made
    }

    /// Returns the entries alone.
    pub(super) fn entries(&self) -> Vec<SaleEntry> {
        self.made.iter().map(|made| made.entry.clone()).collect()
    }

    /// Makes the entries of the payments of an order that have none yet.
    pub(super) fn pay(&mut self, reservation_id: Uuid) {
        for payment in self.payments_of(reservation_id) {
            if self.booked.contains_key(&payment.id) {
                continue;
            }
            let is_taxed = payment.paid_at >= self.taxed_from;
            let tax_rate_bp = self.terms.tax_rate_bp.filter(|_| is_taxed);
            let terms = SaleTerms { tax_rate_bp, ..self.terms };
            let order = order_of(&payment, terms);
            let items = self.items.get(&payment.reservation_id).map_or(&[][..], Vec::as_slice);
            let lines = lines::of_payment(items, payment.discount, terms, |item, number| {
                !payment.is_shared || self.share_places.contains(&(payment.id, item, number))
            });
            let left = lines.iter().map(LeftItem::of).collect();
            let booked = BookedPayment { order, buyer: payment.buyer.clone(), left };
            self.booked.insert(payment.id, booked);
            self.note(&payment, SaleEntryKind::Payment, payment.id.0, payment.paid_at, lines);
        }
    }

    /// Makes the entry of a place that left its order by itself.
    pub(super) fn give_back(&mut self, return_id: Uuid) {
        let Some(place) = self.returned.get(&return_id).cloned() else { return };
        let kind = if place.to_house { SaleEntryKind::TicketRefund } else { SaleEntryKind::Resale };
        if self.known.contains(&(place.id, kind)) {
            return;
        }
        self.pay(place.reservation_id.0);
        let payment = self.payments.iter().find(|payment| payment.id == place.payment_id).cloned();
        let booked = self.booked.get_mut(&place.payment_id);
        let Some((payment, booked)) = payment.zip(booked) else { return };
        let terms = booked.order.terms;
        let item = booked.left.iter_mut().find(|left| left.item_id == place.item_id);
        let line = item.map(|item| lines::of_place(item, place.price, place.payout, terms));
        self.note(&payment, kind, place.id, place.at, line.into_iter().collect());
    }

    /// Makes the entries of the refund of an order, one for each of its payments.
    pub(super) fn refund(&mut self, reservation_id: Uuid, at: DateTime<Utc>) {
        self.pay(reservation_id);
        for payment in self.payments_of(reservation_id) {
            let kind = SaleEntryKind::Refund;
            let Some(booked) = self.booked.get_mut(&payment.id) else { continue };
            if self.known.contains(&(payment.id.0, kind)) {
                continue;
            }
            let lines = lines::of_rest(&mut booked.left, payment.refunded, booked.order.terms);
            self.note(&payment, kind, payment.id.0, at, lines);
        }
    }

    fn payments_of(&self, reservation_id: Uuid) -> Vec<PaidPayment> {
        let own = self.payments.iter().filter(|payment| payment.reservation_id.0 == reservation_id);
        own.cloned().collect()
    }

    fn note(
        &mut self,
        payment: &PaidPayment,
        kind: SaleEntryKind,
        reference_id: Uuid,
        at: DateTime<Utc>,
        lines: Vec<SaleLine>,
    ) {
        let Some(booked) = self.booked.get(&payment.id) else { return };
        self.known.insert((reference_id, kind));
        let (id, order) = (SaleEntryId(new_id()), booked.order.clone());
        let entry = SaleEntry { id, kind, reference_id, payment_id: payment.id, at, order, lines };
        let (account_id, buyer) = (payment.payer_id, booked.buyer.clone());
        self.made.push(MadeEntry { entry, account_id, buyer });
    }
}

fn order_of(payment: &PaidPayment, terms: SaleTerms) -> SoldOrder {
    let channel = match payment {
        PaidPayment { is_of_wish: true, .. } => SaleChannel::WaitingList,
        PaidPayment { is_shared: true, .. } => SaleChannel::Shared,
        PaidPayment { is_of_return: true, .. } => SaleChannel::Resale,
        _ => SaleChannel::Online,
    };
    SoldOrder {
        reservation_id: payment.reservation_id,
        schedule_id: payment.schedule_id,
        program_id: payment.program_id,
        title: payment.title.clone(),
        starts_at: payment.starts_at,
        time_zone: payment.time_zone.clone(),
        channel,
        code: payment.code.clone(),
        terms,
    }
}
