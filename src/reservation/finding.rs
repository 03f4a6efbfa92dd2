//! The best seats for a wish: found in a map that may be a moment old, held like any
//! other seats, and looked for again when somebody was faster.

use std::{collections::HashSet, sync::Arc};

use super::{
    best,
    desk::Desk,
    error::ReservationError,
    hold::{self, HoldOrder},
    model::{Choice, Hold, Wish},
    seat_map::MapSeat,
};
use crate::{app::App, catalog::ScheduleSeatId, infra::idempotency::RequestKey};

/// Groups tried on one reading of the map.
const GROUPS_MAX: usize = 24;
/// Readings of the map before whoever asked is told that seats go faster than they do.
const READINGS_MAX: u32 = 4;

/// Holds the best group that nobody else has or is just taking. Refused only when no
/// group is left.
pub(super) async fn hold_best(
    app: &App,
    desk: &Desk,
    order: &HoldOrder,
    wish: &Wish,
    key: Option<&RequestKey>,
) -> Result<Hold, ReservationError> {
    let mut lost = Vec::new();
    for reading in 0..READINGS_MAX {
        // The first look may be shared with others who ask now; a lost race wants a new one.
        let seats = if reading == 0 {
            desk.seats(app, order.schedule.id, wish.section.as_deref()).await?
        } else {
            let _step = desk.step().await?;
            desk.seats_anew(app, order.schedule.id, wish.section.as_deref()).await?
        };
        let groups = groups_for(&seats, wish, order);
        if groups.is_empty() && reading > 0 {
            return Err(ReservationError::SoldOut { zone_id: None });
        }
        let mut gone: HashSet<ScheduleSeatId> = HashSet::new();
        for group in groups {
            if group.iter().any(|id| gone.contains(id)) {
                continue;
            }
            let chosen = HoldOrder { choice: Choice::Seats(group), ..order.clone() };
            match hold::hold_chosen(app, desk, &chosen, key).await {
                Err(ReservationError::SeatUnavailable { seat_ids, .. }) => {
                    gone.extend(&seat_ids);
                    lost = seat_ids;
                }
                outcome => return outcome,
            }
        }
    }
    Err(ReservationError::seats_unavailable(lost))
}

/// The groups to try, the best first.
fn groups_for(
    seats: &Arc<Vec<MapSeat>>,
    wish: &Wish,
    order: &HoldOrder,
) -> Vec<Vec<ScheduleSeatId>> {
    let fits =
        |seat: &&MapSeat| seat.is_free() && wish.price.is_none_or(|price| price == seat.price);
    let free: Vec<&MapSeat> = seats.iter().filter(fits).collect();
    let ranked = best::ranked(seats, &free, wish.n_seats, order.account_id);
    let ids = ranked.into_iter().take(GROUPS_MAX).map(|group| {
        let mut ids: Vec<_> = group.seats.iter().map(|seat| seat.id).collect();
        ids.sort();
        ids
    });
    ids.collect()
}
