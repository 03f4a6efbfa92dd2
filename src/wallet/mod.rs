//! Wallets: the points of each account, and every change of them.
//!
//! A **wallet** holds an account's points. A **point transaction** is one change of a wallet, with
//! the balance after it. A **charge** is points bought through a payment provider. A **transfer
//! request** offers points to another account; until it is answered they are **pending**: still in
//! the sender's balance, but withheld. So are the points of a **share** of a reservation that several
//! people pay together, until it is paid (`payment/shares`). A **debt** is points that were taken back after they had been
//! spent, withheld from what the wallet has and gets. **Usable** is the balance without both. The **house** is the
//! ticket office as the other side of a change.
//!
//! # Invariants
//!
//! * `0 <= pending <= balance`, also as a check in the database.
//! * A wallet changes only together with one row of `point_transactions`, in one statement; the
//!   rows of a wallet form a chain without gaps and are never changed or deleted. No wallet is at a
//!   version without its row: `wallets_version_has_its_entry`.
//! * A charge, reversal, payment, refund or adjustment has a **house entry** beside it, with the opposite
//!   sign; a transfer has two accounts. So all amounts add up to zero. The part of a payment that a
//!   refund does not return is the sum of its house entries.
//! * A reference moves the points of one wallet once per kind: a charge, payment or refund that
//!   arrives twice is refused by `point_transactions_reference_key`.
//! * A request is answered once or expires once; its end is fixed when it is made and is never
//!   extended. Each change of its status is kept.
//! * Withheld points leave no wallet that owes more than it has beside them, and no wallet of a locked
//!   account ([`pledges`]).
//! * A wallet row is created by its account's first credit, or by its deletion, never by reading.
//! * The wallet of a deleted account is closed and stays empty: `wallets_closed_is_empty`.
//!
//! # Concurrency
//!
//! Every change of a wallet locks its row, reads its version and writes only if it is unchanged. Charges are
//! settled in batches ([`charges`]); [`debit`] and [`credit`] run inside another feature's transaction. The
//! wallet is the last row that such a transaction locks, and several wallets are locked in id order.
//!
//! Accepting, cancelling and expiring race for the request's row; the loser is refused with the
//! outcome. Lapsed requests are expired by the next transaction that needs them and by a worker; a
//! page that only shows one reads it as expired and writes nothing.

pub mod charges;
mod closing;
pub mod debts;
mod error;
mod kind;
mod ledger;
mod locked;
mod model;
pub mod pages;
mod pledges;
pub mod statement;
mod store;
pub mod transfers;
mod withheld;

pub use charges::{
    Charges,
    model::{Charge, ChargeAmount, Charged},
    stripe::ProviderError,
};
pub use charges::{pages::form::ChargeBox, provider::Provider};
pub use closing::{close, lock_for_closing};
pub use error::WalletError;
pub use ledger::{RefundCredit, credit, debit, give_back_all, refund};
pub use locked::{LockedWallets, store::Movements};
pub use model::{Kind, Means, Movement, Wallet};
pub use transfers::{claims::claim_transfers, expire_transfers, reminders::remind_receivers};
pub use transfers::{
    claims::forget_addresses_of, expire_lapsed_of, model::TransferStatus, store::find_shown_wallet,
};
pub use withheld::{ShareOfPayer, release_share, settle_shares, withhold_share};
