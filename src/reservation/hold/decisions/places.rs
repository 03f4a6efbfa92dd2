//! Assignment of places of a zone to a request, with their prices.

use crate::{
    catalog::{SeatKind, price_types::PriceTypeError},
    reservation::{
        error::ReservationError,
        hold::{price_types::TypesRead, request::HoldRequest},
        inventory::model::LockedZone,
        model::{Item, ItemOfKind},
        returns::{model::FreeReturn, places::pick_places},
    },
};

/// Returns the items of `quantity` places of a locked zone. A place on return costs what its seller
/// paid, so price types apply to the other places only, which also come first at the ordinary
/// price.
pub(super) fn take(
    zone: &LockedZone,
    returned: &[FreeReturn],
    types: &TypesRead,
    request: &HoldRequest,
    quantity: i32,
) -> Result<Vec<ItemOfKind>, ReservationError> {
    let pick = |zone: &LockedZone, quantity| {
        let items = pick_places(zone, returned, quantity, request.account_id);
        let items = items.ok_or_else(|| ReservationError::zone_sold_out(zone.id))?;
        Ok::<_, ReservationError>(items.into_iter().map(|item| item.of_kind(SeatKind::Standard)))
    };
    let picked: Vec<ItemOfKind> = pick(zone, quantity)?.collect();
    if request.types.is_empty() {
        return Ok(picked);
    }
    let n_typed = request.types.n_counted();
    if n_typed > zone.remaining - zone.returned {
        let name = types.name_of(&request.types)?;
        return Err(PriceTypeError::OnReturn { name, seat_ids: Vec::new() }.into());
    }
    let prices = types.price_places(&request.types, quantity, zone.price)?;
    prices.require_as_named()?;
    let chosen = prices.places.into_iter().filter(|place| place.price_type.is_some());
    let chosen = chosen.map(|place| {
        let item = Item::of_places(zone.id, place.quantity, place.unit_price);
        ItemOfKind { price_type: place.price_type, ..item.of_kind(SeatKind::Standard) }
    });
    let left = zone.less(n_typed);
    Ok(pick(&left, quantity - n_typed)?.chain(chosen).collect())
}
