//! Mails as the owner of an account wants them: their language, and which of the optional ones.
//!
//! A **topic** is a kind of mails that may be declined. An **unsubscription** is the signed link in
//! such a mail, which ends its topic without a log-in.
//!
//! # Invariants
//!
//! * Mails about payments, refunds, cancellations and the account's protection cannot be declined.
//! * A link ends the topic of its own mail for its own account, and nothing else. Reading its page
//!   changes nothing, because programs that check mails read it too.
//!
//! # Concurrency
//!
//! The statement that writes a mail looks at the choice, so no mail is written after a choice
//! against it was committed; one that was written before still goes out. Choices race for the
//! account's row, and the later one stands. Asking for a notice of the turn turns mails about turns on
//! again.

mod model;
pub mod pages;
mod store;
mod unsubscription;

pub use self::{
    model::MailChoices,
    store::write_turn_wanted as want_turn_mails,
    unsubscription::{UNSUBSCRIPTION_PATH, Unsubscription},
};
