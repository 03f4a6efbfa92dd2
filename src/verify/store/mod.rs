//! Store.

pub(crate) mod agreements;
pub(crate) mod queue;
pub(crate) mod sale;
pub(crate) mod seats;
pub(crate) mod server;
pub(crate) mod wallet;
