//! Accounts, their passwords and roles, and the sessions they are signed in with.
//!
//! An **account** is an e-mail address, a name and a password hash. A **session** is a log-in
//! on one device: the browser holds 256 random bits, the database their SHA-256. A **known
//! device** is a browser on which the account was logged in to before. A **confirmation** is
//! the password given once more, before an action that cannot be undone. A **second factor** is a code
//! of an authenticator app, which staff and admins give beside the password. A **link** is mailed to the
//! owner, to choose a new password or to confirm an address. A **role** is the account's rights beside
//! buying. A **receipt name** is the name or company that receipts are to have.
//!
//! # Invariants
//!
//! * One account per e-mail address, however it is written: [`Email`] folds it, and no other
//!   code compares addresses.
//! * No password is accepted that is known from breaches, or is its owner's name.
//! * No password is checked before the budgets of its network and its account allow it
//!   (`docs/SECURITY-EVENTS.md`); no budget shuts an owner out of a known device or network.
//! * No password and no session token is stored or logged, only their hashes.
//! * A deleted account stays as a row that says nothing about its owner (`accounts_deleted_is_nobody`)
//!   and never changes again (`accounts_deleted_is_final`); its address is free.
//! * Logging out ends the session on the server; losing Redis ends none. Locking an account or
//!   changing its role ends all its sessions; a session that its owner ended on another device
//!   is over within a second.
//!
//! # Concurrency
//!
//! Two sign-ups with one address race for `accounts_email_key`; the loser gets
//! [`AccountError::EmailTaken`]. Sessions of concurrent requests are read in one
//! statement (`sessions/reader.rs`). Hashing passes a bounded [`PasswordGate`], which serves
//! networks round-robin; a request whose network's share is full is refused at once. What a password
//! opens (a session, a confirmation, a change of the account) waits for the account's row and then
//! compares the hash that was checked: beside a lock, a new password or a deletion it opens nothing.

pub(crate) mod address_claims;
pub mod api_keys;
pub mod deletion;
mod error;
mod links;
pub mod log_in;
pub mod mail_choices;
mod model;
pub mod name;
pub mod pages;
mod password;
pub mod profile;
pub mod receipt_name;
pub mod recovery;
pub mod roles;
pub mod second_factor;
pub mod sessions;
pub mod sign_up;
mod store;
mod streams;

pub use crate::app::AccountId;
pub use crate::text::email::Email;
pub use address_claims::{AddressClaim, claim_each};
pub use deletion::DeletableAccount;
pub use error::ADDRESS_CONFIRMATION_PATH;
pub use error::AccountError;
pub use links::LinkPurpose;
pub use links::purge as purge_links;
pub use log_in::budget::LogInBudget;
pub use model::NewAccount;
pub use model::Role;
pub use password::PasswordGate;
pub use roles::model::Profile;
pub use roles::pages::{AdminAccount, ConfirmedAdmin, StaffAccount, admin_of};
pub use roles::{change_role, find_accounts, find_profile, lock_out, search_profiles};
pub use second_factor::store::exists as has_second_factor;
pub use sessions::pages::arriving::Arriving;
pub use sessions::pages::current::{
    CachedAccount, CurrentAccount, OpenSession, SessionCache, Visitor, device_removal_cookie,
    removal_cookie,
};
pub use sessions::pages::forget;
pub use sign_up::create_admin;
pub use sign_up::purge_sessions;
pub use store::{find_by_address, is_locked_out};
pub use streams::{OpenStream, Streams};
