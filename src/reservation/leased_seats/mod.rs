//! Leased seats: alternatives that whoever was refused can take with one click.
//!
//! An account whose seats were taken is offered others. The first of them that nobody else has a
//! lease of is **leased** to the account, whatever its next request key: for ten seconds a request
//! of somebody else for these seats is refused, and maps show them as held. An account gets one such
//! lease a minute, of seats that are free and within its limit.
//!
//! # Invariants
//!
//! * A lease decides nothing: the rows decide who holds a seat. Without Redis nothing is leased.
//! * A viewer who saw a seat as held because of a lease is told when the lease ends: ended leases are
//!   remembered for an hour.
//!
//! # Concurrency
//!
//! Whoever takes the lease of a request keeps it until its transaction has ended. So a seat that is
//! read as free after the lease was taken cannot be held by somebody else until the lease ends.

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

/// Returns the mark's owner for leases of `account_id`, which its requests take over.
pub(crate) fn owner(account_id: AccountId) -> String {
    format!("{account_id}:offer")
}

/// Leases the first of `groups` of which nobody has a lease to `account_id`; returns its index.
/// `None` if there is none, or the account had a lease less than a minute ago.
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

/// Ends the leases that `account_id` has of `seat_ids`.
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
pub(crate) struct SeatLeases {
    /// Seats that are leased.
    pub(crate) leased: HashSet<ScheduleSeatId>,
    /// Seats whose lease ended within the last hour.
    pub(crate) ended: HashSet<ScheduleSeatId>,
}

impl SeatLeases {
    /// Reads the leases of a performance.
    pub(crate) async fn read(app: &App, schedule_id: ScheduleId) -> Result<Self, RedisAway> {
        let call = LIST.key(leased_key(app, schedule_id));
        let (leased, ended): (Vec<i64>, Vec<i64>) = app.redis.run(&call).await?;
        let ids = |ids: Vec<i64>| ids.into_iter().map(ScheduleSeatId).collect();
        Ok(Self { leased: ids(leased), ended: ids(ended) })
    }

    /// Shows those of `seats` that are free and leased as held, but those of the viewer's `own` lease.
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

/// Mark of the leases of `account_id`: it has one group at a time, so its leases need no token.
fn mark(account_id: AccountId) -> String {
    format!("{}/", owner(account_id))
}
