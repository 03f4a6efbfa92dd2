//! Shares: several people pay together for one reservation.
//!
//! A **share** is some places of an unpaid hold at their frozen prices, each less its part of the
//! reservation's discount. Its **holder** makes it for a **friend**, who gets a **link** with a
//! secret code. Any other account that opens the link may pay the share: its points are
//! **withheld**. The **rest**, every place that is in no live share, is paid by the holder, as a
//! share without a link. When every place is in a withheld share, the reservation is confirmed. A
//! share that ends unpaid is **withdrawn** by its payer, **taken back** by the holder, or
//! **returned** because the hold has ended.
//!
//! # Invariants
//!
//! * A place is in at most one live share: `share_places_live_key`. So the shares of a reservation never
//!   cost more than its total, and it is confirmed only when they cost exactly that.
//! * One transaction confirms the reservation, makes each share a payment with the same id, spends
//!   its points and issues its tickets to its payer, who is their first holder.
//! * A share is paid by one account, and its status only goes forward: `shares_only_forward`. The
//!   holder pays no share with a link.
//! * No share is paid, withdrawn or taken back at or after the end of the hold; shares do not
//!   extend it.
//! * A share decides only who pays; its places stay in the order. A payer who puts a ticket back on
//!   sale is bound by the rules of the whole order (`reservation/order_rules`).
//! * A refund returns to each payer the agreed percentage of each payment, rounded down to whole
//!   points.
//! * All places count for the holder's limit, whichever account pays, as they do when a ticket is
//!   handed over.
//! * The database stores only the SHA-256 of a code. The code is derived from the share's id, so
//!   that the holder can see the link again.
//!
//! # Concurrency
//!
//! Making, paying, withdrawing and taking back a share lock the reservation first, compare its end
//! with the clock, and then lock the live shares and the wallets, each by id. So payments of the
//! shares of one reservation come one after the other: the one that finds every other place
//! withheld confirms. It races for the reservation with expiry and release: either all is paid, or
//! nothing.
//!
//! If a payer's points are taken back because their money was returned, the payer's withheld shares
//! end in the same transaction, which locks their reservations first (`waiting`). Withheld points
//! confirm nothing while the payer's other points do not cover the payer's debt.
//!
//! The end of a hold locks no wallet: it writes the reservation alone, and from then on no share of
//! it can be paid. Their points are returned by transactions of their own, one for each share: at
//! once after a release, otherwise by a worker. A payment that lacks points first returns the
//! payer's shares of ended holds.

mod code;
mod confirm;
mod discount;
pub mod error;
mod give_back;
mod make;
pub mod model;
pub mod pages;
mod pay;
mod places;
mod store;
pub(super) mod telling;
mod waiting;

pub(super) use code::ShareCode;
pub(crate) use discount::prices_less;
pub(super) use error::ShareError;
pub(super) use give_back::{end_open, return_of};
pub use give_back::{return_ended, return_ended_of};
pub(super) use pay::{find_payable, pay_bought};
pub(super) use store::find_payability;
pub(super) use waiting::lock_waiting_of;
