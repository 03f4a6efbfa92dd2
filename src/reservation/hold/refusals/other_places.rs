//! Alternatives to the places of a zone that has too few left: other zones of the performance, then
//! zones of the same name in the program's other performances.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    catalog::{ScheduleId, ZoneId},
    points::Points,
    reservation::hold::store::offers::ZonePlaces,
};

/// Number of alternatives offered.
const OFFERS_MAX: usize = 3;

/// Free places of one zone, offered instead of places of the wanted zone.
#[derive(Clone, Debug, Serialize)]
pub struct PlacesAlternative {
    /// Performance, which may be another one of the program.
    pub schedule_id: ScheduleId,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Time zone of its venue.
    #[serde(skip)]
    pub time_zone: String,
    /// Zone to request.
    pub zone_id: ZoneId,
    /// Name of the zone.
    pub name: String,
    /// Number of free places.
    pub remaining: i32,
    /// Number of places wanted.
    pub quantity: i32,
    /// Price of as many places as wanted.
    pub total: Points,
    /// `total` minus the price of the wanted places, in points.
    pub price_difference: i64,
    /// Whether none of them is on return, so that a code may reduce the price of all.
    #[serde(skip)]
    pub(crate) is_reducible: bool,
}

/// Returns the zones of `zones` other than `wanted` that have `quantity` places left. A zone whose
/// total overflows is left out.
pub(super) fn that_have(
    zones: &[ZonePlaces],
    wanted: ZoneId,
    quantity: i32,
) -> Vec<PlacesAlternative> {
    let total_of = |zone: &ZonePlaces| zone.price.checked_mul(i64::from(quantity));
    let wanted_total = zones.iter().find(|zone| zone.zone_id == wanted).and_then(total_of);
    let Some(wanted_total) = wanted_total else { return Vec::new() };
    let others = zones.iter().filter(|zone| zone.zone_id != wanted && zone.remaining >= quantity);
    let offers = others.filter_map(|zone| {
        let total = total_of(zone)?;
        Some(PlacesAlternative {
            schedule_id: zone.schedule_id,
            starts_at: zone.starts_at,
            time_zone: zone.time_zone.clone(),
            zone_id: zone.zone_id,
            name: zone.name.clone(),
            remaining: zone.remaining,
            quantity,
            total,
            price_difference: total.get() - wanted_total.get(),
            is_reducible: quantity <= zone.remaining - zone.returned,
        })
    });
    offers.take(OFFERS_MAX).collect()
}
