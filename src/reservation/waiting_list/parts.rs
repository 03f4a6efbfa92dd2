//! Sections and zones that a wish means. Pure: all rows were read before.

use super::{error::WaitingListError, model::WishOrder, store::own::Part};

/// Returns the order with the zone that the name of its section means now.
pub(super) fn meant(parts: &[Part], order: &WishOrder) -> WishOrder {
    let mut named = parts.iter().filter(|part| order.section.as_ref() == Some(&part.name));
    WishOrder { zone_id: named.find_map(|part| part.zone_id), ..order.clone() }
}

/// Refuses a wish that no places can ever fit.
pub(super) fn require_existing(parts: &[Part], order: &WishOrder) -> Result<(), WaitingListError> {
    let is_of = |part: &&Part| order.section.as_ref().is_none_or(|name| *name == part.name);
    let of_section: Vec<&Part> = parts.iter().filter(is_of).collect();
    if of_section.is_empty() && order.section.is_some() {
        return Err(WaitingListError::UnknownSection);
    }
    let is_paid = |part: &&&Part| order.price_max.is_none_or(|most| part.price <= most);
    let places = |is_zone: bool| {
        let is_kind = move |part: &&&Part| part.zone_id.is_some() == is_zone;
        let parts = of_section.iter().filter(is_paid).filter(is_kind);
        parts.map(|part| part.places)
    };
    // Seats of one wish may be in several sections at several prices; places of a zone must be in
    // one.
    let places_max = places(true).fold(places(false).sum::<i64>(), i64::max);
    match i64::from(order.places) <= places_max {
        true => Ok(()),
        false => Err(WaitingListError::MoreThanExist { places_max }),
    }
}
