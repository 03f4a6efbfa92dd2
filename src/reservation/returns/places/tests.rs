//! What is picked of a zone.

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
        is_hidden: false,
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
    count_picked(&mut zone, &mut returned, items.iter());
    assert_eq!((zone.remaining, zone.returned, returned.len()), (1, 1, 1));
    assert_eq!(shown(&pick_places(&zone, &returned, 1).unwrap()), [(1, 25)]);
}
