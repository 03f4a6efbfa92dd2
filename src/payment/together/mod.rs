//! Payments of several holds in one transaction: a statement that locks and reads with the `begin`, the
//! decisions, and a statement that writes.
//!
//! A hold is paid here if it is unpaid and not over, its account has a wallet with enough usable
//! points, no other transaction has locked its rows, and the request key is new. No payment is
//! refused here and no row lock is waited for: every other hold is left to [`pay`].
//!
//! [`pay`]: super::pay::pay

mod store;

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use self::store::{LockedForPayments, NewPayments};
use super::{
    error::PaymentError,
    model::{Paid, PaymentId, PaymentRequest},
    refund::tickets_per_item,
    store::{NewPayment, list_written},
    telling::mails_about,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{ProgramId, ScheduleId},
    entry_queue::{self, TokenId, TokenStatus},
    infra::{
        idempotency::Outcomes,
        ids::new_id,
        postgres::{Connection, Transaction, is_unavailable},
    },
    outbox,
    reservation::{self, Confirmation, Held, ReservationId},
    tickets::{self, Issued, NewTickets},
    wallet::{Kind, LockedWallets, Movement},
};

/// Result of one transaction.
#[derive(Debug)]
pub(super) struct PaidTogether {
    /// Payments that were made, parallel to the requests; `None` for requests that were left out.
    pub(super) paid: Vec<Option<Paid>>,
    /// Whether the outcome of the commit is known. If it is not, a payment that is missing in
    /// `paid` may have been written.
    pub(super) is_known: bool,
    /// Sales and ended stays of these payments, to be published.
    pub(super) publication: Publication,
}

/// Sales to be published after the commit: to open maps, to the count of bookings and to the queues
/// in Redis.
#[derive(Debug, Default)]
pub(super) struct Publication {
    sold: Vec<ScheduleId>,
    /// Accounts whose stays ended.
    ended: HashMap<ProgramId, Vec<AccountId>>,
}

/// Payment of the transaction.
struct Payment {
    request: usize,
    owner: (ProgramId, AccountId),
    schedule_id: ScheduleId,
    paid: Paid,
}

/// Payments that are written and not committed yet.
pub(super) struct WrittenTogether {
    n_requests: usize,
    /// Transaction to be committed; `None` if no payment was written.
    tx: Option<Transaction>,
    payments: Vec<Payment>,
    new: Vec<NewPayment>,
    /// Owners of the stays that end with it.
    ended: HashSet<(ProgramId, AccountId)>,
}

/// Pays the holds of `requests` that need neither a refusal nor a wait, up to the commit.
pub(super) async fn write_together(
    app: &App,
    requests: &[&PaymentRequest],
) -> Result<WrittenTogether, PaymentError> {
    let n_requests = requests.len();
    let (mut tx, row) = app.db.begin_with(&store::locks_for(requests)).await?;
    let mut decided = Decided::of(requests, LockedForPayments::read(&row)?);
    if decided.payments.is_empty() {
        tx.rollback().await?;
        let (payments, new, ended) = (Vec::new(), Vec::new(), HashSet::new());
        return Ok(WrittenTogether { n_requests, tx: None, payments, new, ended });
    }
    let ended = decided.write(&mut tx).await?;
    let Decided { payments, new, .. } = decided;
    Ok(WrittenTogether { n_requests, tx: Some(tx), payments, new, ended })
}

/// Payments that are decided and not written yet.
struct Decided {
    payments: Vec<Payment>,
    new: Vec<NewPayment>,
    confirmed: Vec<Held>,
    issued: Vec<Issued>,
    wallets: LockedWallets,
    outcomes: Outcomes,
    /// Stays of the payers.
    stays: HashMap<TokenId, (ProgramId, AccountId)>,
}

impl Decided {
    /// Decides one request after the other.
    fn of(requests: &[&PaymentRequest], locked: LockedForPayments) -> Self {
        let LockedForPayments { tokens, holds, mut outcomes, mut wallets } = locked;
        let mut holds: HashMap<ReservationId, (AccountId, Held)> =
            holds.into_iter().map(|owned| (owned.1.reservation_id, owned)).collect();
        let (mut confirmed, mut payments) = (Vec::new(), Vec::new());
        let (mut new, mut issued) = (Vec::new(), Vec::new());
        for (nth, request) in requests.iter().enumerate() {
            let &PaymentRequest { account_id, reservation_id, ref key } = *request;
            // A key that is found, also of this batch, has an outcome or a refusal.
            let is_new =
                key.as_ref().is_none_or(|key| matches!(outcomes.find::<Paid>(key), Ok(None)));
            let Some((owner, held)) = holds.get(&reservation_id) else { continue };
            if !is_new || *owner != account_id {
                continue;
            }
            let id = PaymentId(new_id());
            let movement = Movement::debit(Kind::Payment, held.total, id.0);
            let Some(Ok(balance)) = wallets.change(account_id, &movement) else { continue };
            let tickets = tickets::make(account_id, &tickets_per_item(held));
            let codes = tickets.iter().map(|ticket| ticket.code.clone()).collect();
            let paid = Paid { payment_id: id, amount: held.total, balance, tickets: codes };
            if let Some(key) = key {
                outcomes.add(key, &paid);
            }
            new.push(NewPayment { id, reservation_id, account_id, amount: held.total, number: 1 });
            issued.extend(tickets);
            let (owner, schedule_id) = ((held.program_id, account_id), held.schedule_id);
            payments.push(Payment { request: nth, owner, schedule_id, paid });
            confirmed.extend(holds.remove(&reservation_id).map(|(_, held)| held));
        }
        let owners: HashSet<_> = payments.iter().map(|payment| payment.owner).collect();
        let stays = tokens
            .iter()
            .filter(|token| token.status == TokenStatus::Active && owners.contains(&token.owner()));
        let stays = stays.map(|token| (token.id, token.owner())).collect();
        Self { payments, new, confirmed, issued, wallets, outcomes, stays }
    }

    /// Writes the payments, and returns the owners of the stays that end with them.
    async fn write(
        &mut self,
        tx: &mut Connection,
    ) -> Result<HashSet<(ProgramId, AccountId)>, PaymentError> {
        let stays: Vec<TokenId> = self.stays.keys().copied().collect();
        let new = NewPayments {
            payments: &self.new,
            confirmation: Confirmation::of(&self.confirmed),
            tickets: NewTickets::of(&self.issued),
            movements: self.wallets.movements(),
            stays: &stays,
            mails: outbox::columns(&mails_about(&self.new)),
            outcomes: mem::take(&mut self.outcomes).added(),
        };
        let ended = store::write(tx, &new).await?;
        Ok(ended.iter().filter_map(|id| self.stays.get(id).copied()).collect())
    }
}

impl WrittenTogether {
    /// Commits the payments.
    pub(super) async fn commit(self, app: &App) -> Result<PaidTogether, PaymentError> {
        let Self { n_requests, tx, mut payments, new, ended } = self;
        let Some(tx) = tx else { return Ok(PaidTogether::nothing(n_requests)) };
        let Err(lost) = tx.commit().await else {
            return Ok(PaidTogether::of(n_requests, payments, &ended, true));
        };
        if !is_unavailable(&lost) {
            return Err(lost.into());
        }
        tracing::warn!(%lost, n = new.len(), "the commit of payments got no answer");
        let written = find_written(app, &new).await;
        if let Err(error) = &written {
            tracing::warn!(%error, "what became of them is unknown");
        }
        let is_known = written.is_ok();
        let written = written.unwrap_or_default();
        payments.retain(|payment| written.contains(&payment.paid.payment_id));
        Ok(PaidTogether::of(n_requests, payments, &ended, is_known))
    }
}

/// Returns the ids in `new` that are written, after a commit without an answer. The commit may
/// still be under way and hold the reservations; their locks are waited for, until it has arrived
/// or its connection has ended.
async fn find_written(app: &App, new: &[NewPayment]) -> Result<Vec<PaymentId>, sqlx::Error> {
    let reservations: Vec<_> = new.iter().map(|payment| payment.reservation_id).collect();
    let ids: Vec<PaymentId> = new.iter().map(|payment| payment.id).collect();
    let mut tx = app.db.begin().await?;
    // Waits until no transaction holds a row of them, so that what one of them did is known.
    reservation::lock_all(&mut tx, &reservations).await?;
    let written = list_written(&mut tx, &ids).await?;
    tx.rollback().await?;
    Ok(written)
}

impl PaidTogether {
    /// Returns the result of a transaction that paid nothing.
    pub(super) fn nothing(n_requests: usize) -> Self {
        Self::of(n_requests, Vec::new(), &HashSet::new(), true)
    }

    /// Returns the result with these `payments`; `ended` are the owners of stays that end with
    /// them.
    fn of(
        n_requests: usize,
        payments: Vec<Payment>,
        ended: &HashSet<(ProgramId, AccountId)>,
        is_known: bool,
    ) -> Self {
        let mut by_request = HashMap::new();
        let mut publication = Publication::default();
        for payment in payments {
            publication.sold.push(payment.schedule_id);
            if ended.contains(&payment.owner) {
                let (program_id, account_id) = payment.owner;
                publication.ended.entry(program_id).or_default().push(account_id);
            }
            by_request.insert(payment.request, payment.paid);
        }
        let paid = (0..n_requests).map(|nth| by_request.remove(&nth)).collect();
        Self { paid, is_known, publication }
    }
}

impl Publication {
    /// Announces the sold seats to open maps.
    pub(super) fn announce(&self, app: &App) {
        let n_paid = u64::try_from(self.sold.len()).unwrap_or(0);
        metrics::counter!("stagedoor_payments_total").increment(n_paid);
        let schedules: HashSet<ScheduleId> = self.sold.iter().copied().collect();
        for schedule_id in schedules {
            reservation::announce(app, schedule_id);
        }
    }

    /// Projects the ended stays to Redis.
    pub(super) async fn project(&self, app: &App) {
        for (program_id, accounts) in &self.ended {
            entry_queue::project_ended(app, *program_id, accounts).await;
        }
    }
}
