//! Guards as the page of a queue offers them.

use crate::entry_queue::Guard;

/// Difficulties that the page offers; API clients may send others in the range.
pub(crate) const OFFERED_BITS: [i32; 6] = [20, 21, 22, 23, 24, 25];

/// Returns the locale key of a guard's name.
pub(crate) fn name_key(guard: Guard) -> &'static str {
    match guard {
        Guard::AccountAge => "admin-guard-age",
        Guard::ConfirmedAddress => "admin-guard-confirmed",
        Guard::Proof => "admin-guard-proof",
        Guard::Address => "admin-guard-address",
        Guard::CoolDown => "admin-guard-cool-down",
    }
}
