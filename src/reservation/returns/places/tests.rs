//! Places that are picked in a zone.

use uuid::Uuid;

use super::*;
use crate::{
    catalog::{ScheduleId, ZoneId},
    points::Points,
    reservation::model::ReturnId,
};

fn cas() -> AccountId {
    AccountId(Uuid::nil())
}

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
        is_hidden: false,
    };
    let [ada, bob] = std::array::from_fn(|_| AccountId(Uuid::now_v7()));
    let free = |price, seller_id| FreeReturn {
        id: ReturnId(Uuid::now_v7()),
        price: points(price),
        seller_id,
    };
    let mut returned = vec![free(20, ada), free(25, bob)];
    assert!(pick_places(&zone, &returned, 5, cas()).is_none());
    let items = pick_places(&zone, &returned, 3, cas()).unwrap();
    let shown = |items: &[Item]| {
        let items = items.iter();
        items.map(|item| (item.quantity, item.unit_price.get())).collect::<Vec<_>>()
    };
    assert_eq!(shown(&items), [(2, 30), (1, 20)]);
    // A seller is not given the own place.
    assert_eq!(shown(&pick_places(&zone, &returned, 3, ada).unwrap()), [(2, 30), (1, 25)]);
    assert!(pick_places(&zone, &returned, 4, ada).is_none());
    count_picked(&mut zone, &mut returned, items.iter());
    assert_eq!((zone.remaining, zone.returned, returned.len()), (1, 1, 1));
    assert_eq!(shown(&pick_places(&zone, &returned, 1, cas()).unwrap()), [(1, 25)]);
}
