//! Waiting room of a program: arrival order, queue, admission and stays.
//!
//! A **queue token** is one account's place in one program's queue; its **queue number** is the
//! arrival order. A **stay** is the time between admission and its end, in which holds may start.
//! The **gate** admits waiting tokens in number order, as many as capacity and rate allow. Polls
//! are recorded for the **window**, the first 25,000 tokens of the queue. A token whose account was
//! silent when its number came up is **parked**: it is passed over and keeps its number. An **access gate** is
//! a second way in, for accounts that have redeemed an access code. The **entry pass** is a signed cookie that
//! states a stay to the booking pages. **Guards** against hoarding, each off by default, refuse joins and holds
//! or make them cost work. The public **log** shows the order of arrival without naming accounts. A sale may
//! open with a **draw**, which numbers the accounts that came before the opening. An **announcement** is what the office
//! says to the accounts that wait or are inside.
//!
//! # Invariants
//!
//! * Per program the queue numbers are 1..N, without gap or duplicate.
//! * At most one live token (`WAITING` or `ACTIVE`) exists per account and program.
//! * No admission makes more tokens `ACTIVE` than the program's capacity, however many instances
//!   admit; only an administrator may admit an account beyond it. Accounts that an access gate admits are
//!   counted apart.
//! * An account that polls at the advised intervals is not passed by a later number, except by one
//!   that an administrator or an access gate admits. An account is silent only after a whole grace in which polls
//!   were heard and none of its own, and admission stops at the first account whose presence is
//!   unknown.
//! * The end of a stay is fixed at admission, but for time that people get back, and an ended stay is never revived.
//! * Redis holds a projection of the queue. It decides nothing, and losing it loses nothing.
//!
//! # Concurrency
//!
//! Joins of one program gather while a batch is being written (`join`). The batch locks the
//! program's `queue_numbers` row, *then* reads which accounts have a live token, *then* numbers the
//! others. A second join of the same account is refused and answered with the existing place.
//!
//! Every transaction that admits locks the program's `queue_gates` row, or an access gate's own; an
//! instance that finds it locked leaves the admission to the instance that holds it. Transactions that end a token lock
//! only that token.
//!
//! One function writes queue positions to Redis, [`project()`]: it writes what PostgreSQL says of
//! some accounts, reads PostgreSQL again, and repeats while the two differ. Whichever of two
//! concurrent writers comes last has read the latest state.

pub mod access_gates;
mod admission;
pub mod announcements;
pub mod draw;
mod entry_pass;
mod error;
mod estimate;
pub mod guards;
mod join;
pub mod log;
mod membership;
pub mod model;
mod openings;
pub mod pages;
mod parking;
mod paths;
mod projection;
mod purge;
mod redis_queue;
mod rules;
mod sale_window;
mod setback;
mod state;
mod status;
mod store;
mod tokens;
pub mod turn_notices;

pub use access_gates::{
    make_access_gate,
    model::{AccessGate, AccessGateId, NewAccessGate},
    open_gate_to,
    store::list as list_access_gates,
    wait_for_joins,
};
pub use admission::admit_everywhere;
pub use admission::expire_stays;
pub use draw::{
    BeaconPart, CheckedDraw, CheckedEntry, DrawFault, Draws, EntryFault, check_draw, check_entry,
};
pub use draw::{
    Draw, DrawDocument, WrongDraw, announce_draw, find_draw_fault, lists::ClosedLists, omit_beacon,
    store::find_draw, withdraw_draw, withdraw_entries_of,
};
pub use entry_pass::EntryPass;
pub use error::QueueError;
pub use estimate::compare_estimates;
pub use estimate::{Accuracy, Speed, accuracy_of, measure_freed};
pub use guards::{Effect, Guard, list_effects, note_cool_down, require_cool, secs_of};
pub use log::{CheckedReceipt, ReceiptFault, Witnesses, check_receipt, grow_logs};
pub use log::{LogFault, LogId, LogKind, find_log_fault, sum_witnessed};
pub use membership::{
    complete, count_queue, is_anybody_waiting, keep_minute, let_in, lock_live_token, of_pass,
    require_open, require_stay,
};
pub use model::{LiveToken, QueueNumber, Stay, TokenId, TokenStatus, WINDOW};
pub use openings::tell_openings;
pub use pages::{pass_cookies, shown_pass};
pub use projection::diff::{Difference, Positions};
pub use projection::diff::{list_differences, list_incomplete};
pub use projection::error::ProjectionError;
pub use projection::rebuild::rebuild_what_is_lost;
pub use projection::{project, project_behind, project_ended, project_everything};
pub use purge::model::Purge;
pub use purge::{begin_purge, entries::tell_entries, find_purge, purge_queues};
pub use setback::{begin_logs, go_on};
pub use state::WaitingRoom;
pub use tokens::{
    end_tokens_of, extend_all, extend_stays, lock_live_tokens, lock_stays, lock_tokens_of,
    model::OwnedToken, project_inside, wait_for_token,
};
pub use turn_notices::tell_turns;
