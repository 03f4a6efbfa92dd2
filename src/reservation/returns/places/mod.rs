//! Assignment of places of a zone to a hold: places that are not on return first, then the others.
//! Pure: all rows were locked and read before.

use super::model::FreeReturn;
use crate::{
    accounts::AccountId,
    points::Points,
    reservation::{inventory::model::LockedZone, model::Item},
};

/// Returns the items of `quantity` places of a locked zone for `buyer`, who cannot buy the own
/// places on return; `None` if fewer are left. `returned` are the places on return, the cheapest
/// first.
pub(crate) fn pick_places(
    zone: &LockedZone,
    returned: &[FreeReturn],
    quantity: i32,
    buyer: AccountId,
) -> Option<Vec<Item>> {
    if zone.remaining < quantity {
        return None;
    }
    let own = quantity.min(zone.remaining - zone.returned);
    let n_returned = usize::try_from(quantity - own).ok()?;
    let mut items = Vec::new();
    if own > 0 {
        items.push(Item::of_places(zone.id, own, zone.price));
    }
    let of_others = returned.iter().filter(|free| free.seller_id != buyer);
    let of_returns = of_others.take(n_returned);
    items.extend(
        of_returns.map(|free| Item::of_places(zone.id, 1, free.price).of_return(Some(free.id))),
    );
    let n_places: i32 = items.iter().map(|item| item.quantity).sum();
    (n_places == quantity).then_some(items)
}

/// Returns the price of all places of `items`; `None` on overflow.
pub fn total_of(items: &[Item]) -> Option<Points> {
    let price = |item: &Item| item.unit_price.checked_mul(i64::from(item.quantity));
    items.iter().map(price).try_fold(Points::ZERO, |sum, price| sum.checked_add(price?))
}

/// Subtracts the places that [`pick_places`] has returned from the remaining ones.
pub(crate) fn count_picked<'a>(
    zone: &mut LockedZone,
    returned: &mut Vec<FreeReturn>,
    items: impl Iterator<Item = &'a Item>,
) {
    for item in items {
        zone.remaining -= item.quantity;
        if item.return_id.is_some() {
            zone.returned -= 1;
            returned.retain(|free| item.return_id != Some(free.id));
        }
    }
}

#[cfg(test)]
mod tests;
