//! The seat map: the seats and zones of one performance, as pages and event streams show them.

pub(crate) mod delta;
pub(crate) mod feed;
pub(crate) mod listing;
pub(crate) mod pages;
pub(crate) mod seat;
pub(crate) mod snapshot;
pub(crate) mod store;
pub(crate) mod streams;
pub(crate) mod subscription;
