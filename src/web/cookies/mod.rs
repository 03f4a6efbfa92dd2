//! Cookies of the kit: how they are bound to the host of the office, and the entry passes.

pub(crate) mod host_cookie;
pub mod pass_cookies;
