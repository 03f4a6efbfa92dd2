//! The waiting room: who came when, who waits, who is inside.
//!
//! A **queue token** is one person's place in one program's line; its **queue number**
//! says when they came. A **stay** is the time inside, in which seats may be held. The
//! **gate** lets people in by number, as many as there is room for. Polls are noted for the
//! **window**, the first 10,000 in line. Whoever was silent when their turn came is
//! **parked**: passed over, the number kept. The **entry pass** is a signed cookie that says
//! all this to the booking pages. **Guards** against hoarding, each off by default, refuse
//! joins and holds, or make them cost something.
//!
//! # Invariants
//!
//! * Per program the numbers are 1..N, without gap or duplicate.
//! * One live token (`WAITING` or `ACTIVE`) per account and program.
//! * No admission makes more people `ACTIVE` than the program's capacity, however many
//!   instances admit; only staff may let somebody in beyond it.
//! * Nobody who polls as told is passed by a later number, but for those let in by staff.
//!   Nobody is silent before a whole grace in which polls were heard and theirs was not, and
//!   admission stops at the first of whom nobody knows whether they are there.
//! * A stay's end is fixed at admission, and nothing revives a stay that is over.
//! * Redis holds a copy of the line. It decides nothing, and losing it loses nothing.
//!
//! # Concurrency
//!
//! Joins are collected while a batch is being written (`batch.rs`); the batch locks the
//! program's `queue_numbers` row, *then* reads who is already in, *then* numbers the
//! rest. A second join of the same person loses and is shown the place they have.
//!
//! Every way in locks the program's `queue_gates` row; an instance that finds it
//! locked leaves the admission to the one that has it. Ways out lock only their token.
//!
//! Redis moves in one function, [`project()`]: it writes what Postgres says of some
//! accounts, reads Postgres again and repeats while that differs, so that whichever of
//! two writers comes last, the truth does.

mod admission;
mod entry_pass;
mod error;
mod estimate;
mod guards;
mod join;
mod membership;
mod model;
pub mod pages;
mod parking;
mod paths;
mod projection;
mod purge;
mod redis_queue;
mod state;
mod status;
mod store;

pub use admission::{admit_everywhere, sweep_lapsed};
pub use entry_pass::EntryPass;
pub use error::QueueError;
pub use guards::{Effect, Guard, list_effects, note_cool_down, require_cool, secs_of};
pub use membership::{
    complete, count_line, extend_stay, is_anybody_waiting, keep_minute, let_in, lock_live_token,
    lock_stay, require_open, require_stay,
};
pub use model::{LiveToken, QueueNumber, QueueState, Stay, TokenId, TokenStatus};
pub use pages::{pass_cookies, shown_pass};
pub use paths::queue_path;
pub use projection::{
    ProjectionError,
    diff::{Difference, Positions, list_differences, list_incomplete},
    project, project_everything,
    rebuild::rebuild_what_is_lost,
};
pub use purge::{Purge, begin_purge, find_purge, purge_lines};
pub use state::WaitingRoom;
