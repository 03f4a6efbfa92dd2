//! Points: what each account has, and every change of it.
//!
//! A **wallet** holds an account's points. A **point transaction** is one change of a
//! wallet, with the balance after it. A **charge** is points bought through a payment
//! provider. **Pending** points are withheld for an open transfer request: they are
//! still in the balance, and **usable** is the balance without them.
//!
//! # Invariants
//!
//! * `0 <= pending <= balance`, also as a check in the database.
//! * A wallet changes only together with one row of `point_transactions`, in one
//!   statement; the rows of a wallet are a chain without gaps, and none is ever
//!   changed or deleted.
//! * What a transaction refers to moves the points of one wallet once per kind: a
//!   charge, a payment or a refund that arrives twice is refused by
//!   `point_transactions_reference_key`.
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
//! [`retry_stale`]: crate::infra::postgres::retry_stale

mod error;
mod model;
pub mod pages;
mod provider;
mod service;
mod store;

pub use error::WalletError;
pub use model::{Charge, ChargeAmount, Kind, PointTransaction, Wallet, WalletId};
pub use provider::{Begun, Demo, PaymentProvider, Provider, ProviderAway};
pub use service::{Charged, credit, debit, find_wallet, settle_charge};
