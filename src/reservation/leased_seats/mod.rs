//! Leased seats: alternatives that a refused account can take with one click.
//!
//! An account whose seats were taken is offered others. The first group without a lease of another
//! account is **leased** to the account, for any request key of its next request: for ten seconds
//! requests of other accounts for these seats are refused, and maps show them as held. An account
//! gets one such lease a minute, of seats that are free and within its limit.
//!
//! # Invariants
//!
//! * A lease decides nothing: the rows decide which account holds a seat. Without Redis no seat is
//!   leased.
//! * A viewer who saw a seat as held because of a lease gets a change when the lease ends: ended
//!   leases are remembered for an hour.
//!
//! # Concurrency
//!
//! A request keeps the leases of its seats until its transaction has ended. So a seat that is read
//! as free after it was leased cannot be held by another account until the lease ends.

use std::{collections::HashSet, sync::LazyLock, time::Duration};

use crate::{
    accounts::AccountId,
    app::App,
    catalog::{ScheduleId, ScheduleSeatId},
    infra::{
        locks::lease_key,
        redis::{RedisAway, Script},
    },
    reservation::{model::SeatStatus, seat_map::seat::MapSeat},
};

/// Lifetime of a lease.
const LEASE: Duration = Duration::from_secs(10);
/// Time after a lease in which its account gets no other.
const PAUSE: Duration = Duration::from_mins(1);
/// Time for which ended leases are remembered.
const KEPT: Duration = Duration::from_hours(1);

static OFFER: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("offer.lua")));
static WITHDRAW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("withdraw.lua")));
static LIST: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("list.lua")));

/// Returns the owner name of the leases of `account_id`, which its requests take over.
pub(crate) fn owner(account_id: AccountId) -> String {
    format!("{account_id}:offer")
}

/// Leases the first of `groups` without a lease to `account_id`; returns its index. `None` if there
/// is none, or if the account had a lease less than a minute ago.
pub(crate) async fn lease_first(
    app: &App,
    schedule_id: ScheduleId,
    account_id: AccountId,
    groups: &[&[ScheduleSeatId]],
) -> Result<Option<usize>, RedisAway> {
    let mut call = OFFER.key(leased_key(app, schedule_id));
    call.key(lease_key(&app.redis, &schedule_id, format_args!("pause:{account_id}")));
    call.arg(mark(account_id));
    for length in [LEASE, PAUSE, KEPT] {
        call.arg(u64::try_from(length.as_millis()).unwrap_or(u64::MAX));
    }
    for group in groups {
        call.arg(group.len());
        for seat_id in *group {
            call.key(lease_key(&app.redis, &schedule_id, seat_id)).arg(seat_id.0);
        }
    }
    let position: usize = app.redis.run(&call).await?;
    Ok(position.checked_sub(1))
}

/// Ends the leases of `account_id` on `seat_ids`.
pub(crate) async fn withdraw(
    app: &App,
    schedule_id: ScheduleId,
    account_id: AccountId,
    seat_ids: &[ScheduleSeatId],
) -> Result<usize, RedisAway> {
    let mut call = WITHDRAW.key(leased_key(app, schedule_id));
    call.arg(mark(account_id));
    for seat_id in seat_ids {
        call.key(lease_key(&app.redis, &schedule_id, seat_id)).arg(seat_id.0);
    }
    app.redis.run(&call).await
}

/// Leased seats of one performance.
#[derive(Clone, Debug, Default)]
pub struct SeatLeases {
    /// Seats that are leased.
    pub leased: HashSet<ScheduleSeatId>,
    /// Seats whose lease ended within the last hour.
    pub ended: HashSet<ScheduleSeatId>,
}

impl SeatLeases {
    /// Reads the leases of a performance.
    pub(crate) async fn read(app: &App, schedule_id: ScheduleId) -> Result<Self, RedisAway> {
        let call = LIST.key(leased_key(app, schedule_id));
        let (leased, ended): (Vec<i64>, Vec<i64>) = app.redis.run(&call).await?;
        let ids = |ids: Vec<i64>| ids.into_iter().map(ScheduleSeatId).collect();
        Ok(Self { leased: ids(leased), ended: ids(ended) })
    }

    /// Shows free, leased seats as held, except the seats of the viewer's `own` lease.
    pub(crate) fn show_on(&self, seats: &mut [MapSeat], own: &[ScheduleSeatId]) {
        for seat in seats {
            let is_leased = self.leased.contains(&seat.id) && !own.contains(&seat.id);
            if seat.is_free() && is_leased {
                seat.status = SeatStatus::Held;
            }
        }
    }
}

fn leased_key(app: &App, schedule_id: ScheduleId) -> String {
    lease_key(&app.redis, &schedule_id, "leased")
}

/// Returns the mark of the leases of `account_id`, which has one group at a time and so needs no
/// token.
fn mark(account_id: AccountId) -> String {
    format!("{}/", owner(account_id))
}
