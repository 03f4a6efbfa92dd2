//! Points: what each account has, and every change of it.
//!
//! A **wallet** holds an account's points. A **point transaction** is one change of a
//! wallet, with the balance after it. A **charge** is points bought through a payment
//! provider. A **transfer request** asks a friend to take points; until it is answered
//! they are **pending**: still in the sender's balance, but withheld. **Usable** is the
//! balance without them.
//!
//! # Invariants
//!
//! * `0 <= pending <= balance`, also as a check in the database.
//! * A wallet changes only together with one row of `point_transactions`, in one
//!   statement; the rows of a wallet are a chain without gaps, and none is ever
//!   changed or deleted. No wallet is at a version without its row:
//!   `wallets_version_has_its_entry`.
//! * A charge, payment, refund or adjustment has the house's **house entry** beside it, with
//!   the other sign; a transfer has two people. So all amounts together are nothing. What the
//!   house keeps of a refund is what its entries of the payment leave.
//! * What a transaction refers to moves the points of one wallet once per kind: a
//!   charge, a payment or a refund that arrives twice is refused by
//!   `point_transactions_reference_key`.
//! * A request is answered once or runs out once; its end was fixed when it was made and
//!   nothing prolongs it. Each change of its status is kept.
//! * A wallet row is made by its account's first credit, never by reading.
//!
//! # Concurrency
//!
//! A charge reads a wallet's version and writes only if it is still that version; a
//! lost race rolls back and runs again ([`retry_stale`]). Whoever lost three races
//! locks the row first, so that nobody starves on a wallet that many write to.
//! [`debit`] and [`credit`] run inside another feature's transaction, which cannot be
//! run again cheaply: they lock the row at once. The wallet is the last row of every
//! transaction, and two wallets are always taken in id order.
//!
//! Accepting, taking back and running out race for the request's row; the loser is told
//! how it ended. What ran out is expired by whoever touches it next and by a worker; a
//! page that only shows it counts it as expired and writes nothing.
//!
//! [`retry_stale`]: crate::infra::postgres::retry_stale

pub(crate) mod charges;
mod error;
mod ledger;
mod model;
pub mod pages;
mod statement;
mod store;
mod transfers;

pub use charges::provider::{Begun, Demo, PaymentProvider, Provider, ProviderAway};
pub use error::WalletError;
pub use ledger::{Charged, credit, debit, find_wallet, settle_charge};
pub use model::{Charge, ChargeAmount, Kind, PointTransaction, Wallet, WalletId};
pub use transfers::{
    expire_lapsed_of, expire_transfers,
    model::{Requested, Transfer, TransferId, TransferStatus},
};
