//! Log-in: the form, and what limits guesses of a password.

pub(crate) mod budget;
pub(crate) mod device;
pub(crate) mod guesses;
pub(crate) mod pages;
pub(crate) mod password_check;
