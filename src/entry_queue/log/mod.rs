//! Public log of a queue: everybody can check the order of arrival.
//!
//! Each program has a **log** of its joins: leaf n - 1 of the tree is queue number n. An **entry** says
//! the number, the moment and a **commitment** to the token, and names nobody. A second log has the
//! **moves**: whatever else moved the line, from an admission to a pause. A **receipt** is what
//! the owner of a token gets: the entry, the **salt** that opens the commitment, and a signature. See
//! [`infra::tlog`](crate::infra::tlog) for tiles, checkpoints and proofs.
//!
//! # Invariants
//!
//! * Entry n - 1 is made of the token with queue number n, and of nothing else; the commitment is
//!   written in the statement that gives the number. A trigger keeps all three as they are.
//! * A checkpoint that was signed is committed together with its tiles before anybody sees it. Every
//!   later one is of a tree that continues it: triggers refuse all else.
//! * Moves are written by triggers, in the transaction that moves the line. They are published in the
//!   order of their transactions, none before every older transaction has ended.
//! * A salt leaves this house only in its owner's receipt.
//!
//! # Concurrency
//!
//! Any instance may let a log grow; whoever locks the log's row does, the others leave it to that one.
//! Numbers are committed in their order, so a reader that sees number n sees all before it.

mod entries;
pub(crate) mod entry;
mod growth;
pub(crate) mod moves;
pub(crate) mod pages;
pub(crate) mod receipt;
mod signed_text;
mod signer;
pub(crate) mod store;
mod verification;
pub(crate) mod witnesses;

pub(crate) use entry::{Commitment, Salt, moment_text};
pub use growth::grow_logs;
pub use receipt::check::{CheckedReceipt, ReceiptFault, check_receipt};
pub(crate) use signed_text::{SignedText, sign_as_joins};
pub(crate) use store::{LogId, LogKind};
pub(crate) use verification::{LogFault, find_log_fault};
pub use witnesses::Witnesses;
pub(crate) use witnesses::store::sum_witnessed;
