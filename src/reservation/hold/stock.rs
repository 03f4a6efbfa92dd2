//! Stock of a transaction: the seats, or the zone of places, that its requests ask for, locked.

use std::collections::{HashMap, HashSet};

use super::{
    request::ChosenRequest,
    store::{self, LockedSeat},
};
use crate::{
    catalog::{ScheduleSeatId, SeatId, ZoneId},
    infra::postgres::{Connection, WhenHeld},
    reservation::{
        inventory::{model::LockedZone, store::lock_zones},
        model::Choice,
        returns::{model::FreeReturn, store::list_free_of_zone},
    },
};

/// Seats, or the zone of places, that the requests of one transaction ask for.
#[derive(Default)]
pub(super) struct Stock {
    pub(super) seats: HashMap<ScheduleSeatId, LockedSeat>,
    pub(super) zone: Option<LockedZone>,
    /// Places of the zone that are on return, the cheapest first.
    pub(super) returned: Vec<FreeReturn>,
}

impl Stock {
    /// Returns the wheelchair places that the locked companion's places belong to.
    pub(super) fn wheelchairs_asked(&self) -> Vec<SeatId> {
        self.seats.values().filter_map(|seat| seat.wheelchair_seat_id).collect()
    }

    /// Locks the seats or the zone that `requests` ask for. Seats that another transaction has
    /// locked are missing with [`WhenHeld::Skip`].
    pub(super) async fn lock(
        tx: &mut Connection,
        requests: &[&ChosenRequest],
        when_held: WhenHeld,
    ) -> Result<Self, sqlx::Error> {
        let Some(schedule_id) = requests.first().map(|chosen| chosen.request.schedule.id) else {
            return Ok(Self::default());
        };
        let (seats, zones) = wanted(requests);
        let seats = match seats.is_empty() {
            true => Vec::new(),
            false => store::lock_seats(tx, schedule_id, &seats, when_held).await?,
        };
        let zone = match zones.is_empty() {
            true => None,
            false => lock_zones(tx, &zones).await?.pop(),
        };
        let returned = match &zone {
            Some(zone) if zone.returned > 0 => list_free_of_zone(tx, zone.id).await?,
            _ => Vec::new(),
        };
        Ok(Self {
            seats: seats.into_iter().map(|seat| (seat.id, seat)).collect(),
            zone: zone.filter(|zone| zone.schedule_id == schedule_id),
            returned,
        })
    }
}

/// Returns the seats and the zones that `requests` ask for, each once, with the seats beside them
/// that the rule of single seats needs.
fn wanted(requests: &[&ChosenRequest]) -> (Vec<ScheduleSeatId>, Vec<ZoneId>) {
    let (mut seats, mut zones) = (HashSet::new(), HashSet::new());
    for chosen in requests {
        match &chosen.request.choice {
            Choice::Seats(ids) => {
                seats.extend(ids.iter().copied());
                seats.extend(chosen.request.beside());
            }
            Choice::Places { zone_id, .. } => {
                zones.insert(*zone_id);
            }
            Choice::Best(_) => {}
        }
    }
    (seats.into_iter().collect(), zones.into_iter().collect())
}
