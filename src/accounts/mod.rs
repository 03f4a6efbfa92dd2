//! Who may sign in, and the sessions they are signed in with.
//!
//! An **account** is an e-mail address, a name and a password hash. A **session** is a
//! log-in on one device: the browser holds 256 random bits, the database their SHA-256. A
//! **known device** is a browser on which the account was logged in to before. A
//! **confirmation** is the password given once more, before what cannot be undone.
//! A **role** says what the account may do beside buying.
//!
//! # Invariants
//!
//! * One account per e-mail address, however it is written: [`Email`] folds it, and nothing
//!   else compares addresses.
//! * No password that is known from breaches, or is its owner's name.
//! * No password is looked at before the budgets of its network and its account allow it
//!   (`docs/SECURITY-EVENTS.md`); none of them shuts an owner out where they are known.
//! * No password and no session token is stored or logged, only their hashes.
//! * Logging out ends the session on the server; a lost Redis ends none. A lock and another
//!   role end all of an account's; what its owner ended elsewhere is over within a second.
//!
//! # Concurrency
//!
//! Two sign-ups with one address race for `accounts_email_key`; the loser is told
//! that the address is taken. Sessions that are asked for at the same moment are looked
//! up in one statement (`lookups.rs`). Hashing passes through a bounded [`PasswordGate`], in
//! front of which networks take turns: who finds their network's share taken is refused at
//! once. A log-in beside a lock waits for the account's row and then opens no session.

mod email;
mod error;
pub(crate) mod log_in;
mod model;
pub mod pages;
mod password;
pub(crate) mod roles;
pub(crate) mod sessions;
pub(crate) mod sign_up;
mod store;

pub use email::Email;
pub use error::AccountError;
pub use log_in::budget::LogInBudget;
pub use model::{AccountId, Credentials, NewAccount, NewAccountRefusal, Role};
pub use password::{PasswordGate, rules::PasswordRefusal};
pub use roles::{
    Profile, change_role, find_accounts, find_profile, lock_out,
    pages::{AdminAccount, ConfirmedAdmin, StaffAccount, admin_of},
    search_profiles,
};
pub use sessions::pages::current::{
    CachedAccount, CurrentAccount, OpenSession, SessionCache, Visitor,
};
pub use sign_up::{create_admin, purge_sessions};
