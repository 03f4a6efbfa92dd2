//! SQL of payments of several holds: one statement that locks and reads, one that writes.

use sqlx::{Row, postgres::PgRow, types::Json};

use crate::{
    accounts::AccountId,
    entry_queue::{OwnedToken, TokenId},
    infra::{
        idempotency::{NewOutcomes, Outcomes, RequestKey},
        postgres::{Connection, OpeningCall},
    },
    outbox::NewMails,
    payment::{
        error::PaymentError,
        model::{PaymentId, PaymentRequest},
        store::NewPayment,
    },
    points::Points,
    reservation::{self, Confirmation, Held, WrittenConfirmation},
    tickets::NewTickets,
    wallet::{LockedWallets, Movements},
};

/// Rows that a transaction has locked for payments, and what it has read behind the locks.
#[derive(Debug)]
pub(super) struct LockedForPayments {
    pub(super) tokens: Vec<OwnedToken>,
    /// Holds that can be paid, with their accounts.
    pub(super) holds: Vec<(AccountId, Held)>,
    pub(super) outcomes: Outcomes,
    pub(super) wallets: LockedWallets,
}

/// Returns the call that locks what the payments of `requests` need, in the order of locks and
/// without waiting for a row.
pub(super) fn locks_for(requests: &[&PaymentRequest]) -> OpeningCall {
    let keys = || requests.iter().filter_map(|request| request.key.as_ref()).map(RequestKey::id);
    OpeningCall::of("lock_payments")
        .ids(requests.iter().map(|request| request.reservation_id.0))
        .ids(requests.iter().map(|request| request.account_id.0))
        .ids(keys().map(|(account_id, _)| account_id))
        .ids(keys().map(|(_, key)| key))
}

impl LockedForPayments {
    /// Reads the row that the call of [`locks_for`] returned.
    pub(super) fn read(row: &PgRow) -> Result<Self, PaymentError> {
        let (Json(tokens), Json(holds)): (_, Json<Vec<_>>) =
            (row.try_get("tokens")?, row.try_get("holds")?);
        let (Json(kept), Json(wallets)) = (row.try_get("outcomes")?, row.try_get("wallets")?);
        let (outcomes, wallets) = (Outcomes::of(kept)?, LockedWallets::of(wallets));
        Ok(Self { tokens, holds: reservation::payable(&holds), outcomes, wallets })
    }
}

/// Everything that payments write.
pub(super) struct NewPayments<'a> {
    pub(super) payments: &'a [NewPayment],
    pub(super) confirmation: Confirmation,
    pub(super) tickets: NewTickets<'a>,
    pub(super) movements: &'a Movements,
    /// Stays of the payers, which end unless another hold is to be paid.
    pub(super) stays: &'a [TokenId],
    pub(super) mails: NewMails,
    pub(super) outcomes: NewOutcomes,
}

/// Writes `new` in one statement, and returns the stays that have ended. The `payments` and the holds
/// of the confirmation are parallel.
pub(super) async fn write(
    tx: &mut Connection,
    new: &NewPayments<'_>,
) -> Result<Vec<TokenId>, PaymentError> {
    let NewPayments { payments, confirmation, tickets, movements, stays, mails, outcomes } = new;
    let ids: Vec<PaymentId> = payments.iter().map(|payment| payment.id).collect();
    let accounts: Vec<AccountId> = payments.iter().map(|payment| payment.account_id).collect();
    let amounts: Vec<Points> = payments.iter().map(|payment| payment.amount).collect();
    let written = sqlx::query!(
        r#"
        select n_reservations as "n_reservations!", n_seats as "n_seats!", n_entries,
            ended as "ended: Vec<TokenId>"
        from write_payments($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
            $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34)
        "#,
        ids as _,
        confirmation.ids as _,
        accounts as _,
        amounts as _,
        &confirmation.versions,
        confirmation.events as _,
        confirmation.at,
        confirmation.seats as _,
        &tickets.ids,
        &tickets.item_ids,
        &tickets.numbers,
        &tickets.quantities,
        tickets.codes as _,
        tickets.accounts as _,
        &movements.ids,
        movements.wallets as _,
        &movements.versions,
        &movements.amounts,
        movements.balances as _,
        &movements.references,
        &movements.kinds,
        stays as _,
        &mails.ids,
        mails.accounts as _,
        &mails.kinds,
        &mails.payloads,
        &mails.orders,
        &mails.events,
        mails.topics as _,
        mails.kept_secs,
        &outcomes.accounts,
        &outcomes.keys,
        &outcomes.fingerprints,
        &outcomes.outcomes,
    )
    .fetch_one(tx)
    .await?;
    let (n_reservations, n_seats) = (written.n_reservations, written.n_seats);
    confirmation.require(&WrittenConfirmation { n_reservations, n_seats })?;
    movements.require_written(written.n_entries.unwrap_or_default())?;
    Ok(written.ended.unwrap_or_default())
}
