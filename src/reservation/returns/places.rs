//! Which places of a zone a hold gets: those that nobody has, and then those on return. Pure: all was
//! locked and read before.

use std::collections::VecDeque;

use super::model::FreeReturn;
use crate::reservation::{inventory::model::LockedZone, model::Item};

/// Returns the items of `quantity` places of a locked zone; `None` if fewer are left. `returned` are
/// those on return, the cheapest first.
pub(crate) fn pick_places(
    zone: &LockedZone,
    returned: &VecDeque<FreeReturn>,
    quantity: i32,
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
    let of_returns = returned.iter().take(n_returned);
    items.extend(
        of_returns.map(|free| Item::of_places(zone.id, 1, free.price).of_return(Some(free.id))),
    );
    let n_places: i32 = items.iter().map(|item| item.quantity).sum();
    (n_places == quantity).then_some(items)
}

/// Takes what [`pick_places`] has returned out of what is left.
pub(crate) fn count_picked(
    zone: &mut LockedZone,
    returned: &mut VecDeque<FreeReturn>,
    items: &[Item],
) {
    for item in items {
        zone.remaining -= item.quantity;
        if item.return_id.is_some() {
            zone.returned -= 1;
            returned.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        catalog::{ScheduleId, ZoneId},
        points::Points,
        reservation::model::ReturnId,
    };

    #[test]
    fn places_that_nobody_has_go_before_those_on_return() {
        let points = |points| Points::new(points).unwrap();
        let mut zone = LockedZone {
            id: ZoneId(Uuid::nil()),
            schedule_id: ScheduleId(Uuid::nil()),
            version: 1,
            price: points(30),
            remaining: 4,
            returned: 2,
        };
        let free = |price| FreeReturn { id: ReturnId(Uuid::now_v7()), price: points(price) };
        let mut returned = VecDeque::from([free(20), free(25)]);
        assert!(pick_places(&zone, &returned, 5).is_none());
        let items = pick_places(&zone, &returned, 3).unwrap();
        let shown = |items: &[Item]| {
            let items = items.iter();
            items.map(|item| (item.quantity, item.unit_price.get())).collect::<Vec<_>>()
        };
        assert_eq!(shown(&items), [(2, 30), (1, 20)]);
        count_picked(&mut zone, &mut returned, &items);
        assert_eq!((zone.remaining, zone.returned, returned.len()), (1, 1, 1));
        assert_eq!(shown(&pick_places(&zone, &returned, 1).unwrap()), [(1, 25)]);
    }
}
