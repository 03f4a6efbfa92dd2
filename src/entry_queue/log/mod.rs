//! Public log of a queue: any reader can check the order of arrival.
//!
//! Each program has a **log** of its joins: leaf n - 1 of the tree is queue number n. An **entry** has
//! the number, the moment and a **commitment** to the token, and names no account. A second log has the
//! **moves**: every other event that moved the line, from an admission to a pause. The owner of a token
//! gets a **receipt**: the entry, the **salt** that opens the commitment, and a signature. See
//! [`infra::tlog`](crate::infra::tlog) for tiles, checkpoints and proofs.
//!
//! # Invariants
//!
//! * Entry n - 1 is made of the token with queue number n, and of nothing else; the commitment is
//!   written in the statement that gives the number. A trigger keeps all three as they are.
//! * A signed checkpoint is committed together with its tiles before it is published. The tree of every
//!   later checkpoint continues it: triggers refuse any other.
//! * Moves are written by triggers, in the transaction that moves the line. They are published in the
//!   order of their transactions, none before every older transaction has ended.
//! * A salt leaves the office only in its owner's receipt.
//!
//! # Concurrency
//!
//! Any instance may let a log grow; the instance that locks the log's row does, and the others skip it.
//! Numbers are committed in their order, so a reader that sees number n sees all before it.

mod entries;
pub mod entry;
mod growth;
pub mod moves;
pub mod pages;
pub mod receipt;
mod signed_text;
mod signer;
pub mod store;
mod verification;
pub mod witnesses;

pub use entry::{Commitment, Salt, moment_text};
pub(crate) use growth::find_or_begin;
pub use growth::grow_logs;
pub use receipt::check::{CheckedReceipt, ReceiptFault, check_receipt};
pub use signed_text::{SignedText, sign_as_joins};
pub use store::{LogId, LogKind};
pub use verification::{LogFault, find_log_fault};
pub use witnesses::Witnesses;
pub use witnesses::store::sum_witnessed;
