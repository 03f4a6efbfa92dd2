//! Settlement with the sellers of places on return, inside the transaction of the buyer's payment.

use std::collections::HashSet;

use super::{error::PaymentError, store::NewPayment};
use crate::{
    accounts::AccountId,
    infra::postgres::{Connection, WhenHeld},
    outbox::{self, AccountMail, Message},
    points::Points,
    reservation::returns::model::{NewReturn, SoldReturn},
    tickets::{self, Issued},
    wallet::{Kind, LockedWallets, Movement, WalletError},
};

/// Voids the tickets of the sellers, issues the tickets of the buyer, credits the buyer with what was `given` in
/// exchange, debits the total from the buyer and credits each seller with the payout; the program's share stays with
/// the house. Writes the mails to the sellers. Returns the buyer's balance.
pub(super) async fn settle(
    tx: &mut Connection,
    payment: &NewPayment,
    sold: &[SoldReturn],
    given: &[NewReturn],
    issued: &[Issued],
) -> Result<Points, PaymentError> {
    let ticket_ids: Vec<_> = sold.iter().map(|sold| sold.ticket_id).collect();
    tickets::void_sold(tx, &ticket_ids).await?;
    tickets::issue(tx, issued).await?;
    let sellers = sold.iter().map(|sold| sold.seller_id);
    let accounts: HashSet<AccountId> = sellers.chain([payment.account_id]).collect();
    let mut wallets = LockedWallets::lock(tx, &accounts, WhenHeld::Wait).await?;
    if !wallets.contains(payment.account_id) && payment.amount > Points::ZERO && given.is_empty() {
        return Err(WalletError::no_points(payment.amount).into());
    }
    // The buyer or the seller of a free place may have no wallet yet.
    if !wallets.open_missing(tx, &accounts).await? {
        return Err(WalletError::StaleVersion.into());
    }
    // What an account exchanged that was deleted meanwhile would have nowhere to come back to.
    if !given.is_empty() && wallets.is_closed(payment.account_id) {
        return Err(WalletError::Closed.into());
    }
    for given in given {
        let credit = Movement::credit(Kind::Resale, given.payout, given.id.0);
        wallets.change(given.seller_id, &credit).ok_or(WalletError::StaleVersion)??;
    }
    let debit = Movement::debit(Kind::Payment, payment.amount, payment.id.0);
    let change = wallets.change(payment.account_id, &debit);
    let mut balance = change.ok_or(WalletError::StaleVersion)??;
    for sold in sold {
        let credit = Movement::credit(Kind::Resale, sold.payout, sold.id.0);
        let after = wallets.change(sold.seller_id, &credit).ok_or(WalletError::StaleVersion)??;
        if sold.seller_id == payment.account_id {
            balance = after;
        }
    }
    wallets.write(tx).await?;
    let mails = sold.iter().map(|sold| AccountMail {
        account_id: sold.seller_id,
        message: Message::TicketSold { return_id: sold.id.0 },
        order_key: format!("ticket:{}", sold.ticket_id),
        dedupe_key: format!("ticket-sold:{}", sold.id),
    });
    outbox::write_to_accounts(tx, &mails.collect::<Vec<_>>()).await?;
    Ok(balance)
}
