//! Alternatives to unavailable seats: the nearest free groups, first groups at the same prices,
//! then others, with the difference. Kept places are offered only to a request that needs them, and
//! only of the kinds it asked for.

use serde::Serialize;

use crate::{
    catalog::ScheduleSeatId,
    points::Points,
    reservation::{
        hold::{
            kept_places::{Proposal, has_restricted_view, kept_kinds},
            price_types::{asked::TypesAsked, wanted::WantedTypes},
            seat_groups,
        },
        seat_map::seat::MapSeat,
    },
};

/// Number of alternatives offered.
const OFFERS_MAX: usize = 3;

/// Free seats side by side, offered instead of the wanted ones.
#[derive(Clone, Debug, Serialize)]
pub struct Alternative {
    /// Ids to request.
    pub seat_ids: Vec<ScheduleSeatId>,
    /// Seats with these ids.
    pub seats: Vec<MapSeat>,
    /// Price types of the seats as a form names them, if the request names any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seat_types: Vec<String>,
    /// Price of the seats together.
    pub total: Points,
    /// Part of the total that a code may reduce.
    #[serde(skip)]
    pub reducible: Points,
    /// `total` minus the price of the wanted seats together, in points.
    pub price_difference: i64,
}

/// Returns disjoint groups of as many seats as wanted, in this order: the same prices before
/// others, full views before restricted ones unless such seats were wanted, groups that strand no
/// seat before others, and then the nearest. A group whose total overflows, or that cannot have the
/// price types that were asked for, is left out.
pub(super) fn nearest(
    seats: &[MapSeat],
    wanted: &[ScheduleSeatId],
    taken: &[ScheduleSeatId],
    proposal: Proposal,
    (types, asked): (&WantedTypes, &TypesAsked),
) -> Vec<Alternative> {
    let chosen: Vec<&MapSeat> = seats.iter().filter(|seat| wanted.contains(&seat.id)).collect();
    let (x, y) = seat_groups::middle(chosen.iter().copied());
    let prices = sorted_prices(chosen.iter().copied());
    let is_restricted_wanted = has_restricted_view(&chosen);
    let kept_wanted = kept_kinds(&chosen);
    let may_be_offered = |seats: &[&MapSeat]| {
        let is_alike = proposal != Proposal::Needed || kept_kinds(seats) == kept_wanted;
        is_alike && proposal.allows_together(seats)
    };
    // A taken seat may still read as free when only a lease makes it unavailable.
    let free: Vec<&MapSeat> =
        seats.iter().filter(|seat| seat.is_free() && !taken.contains(&seat.id)).collect();

    let mut groups: Vec<_> = seat_groups::groups(&free, wanted.len())
        .filter(|group| may_be_offered(group.seats))
        .map(|group| {
            let (group_x, group_y) = group.middle();
            let is_restricted = has_restricted_view(group.seats) && !is_restricted_wanted;
            let is_priced_otherwise = sorted_prices(group.seats.iter().copied()) != prices;
            let tier = (is_priced_otherwise, is_restricted, group.strands);
            (tier, (group_x - x).hypot(group_y - y), group.seats.to_vec())
        })
        .collect();
    groups.sort_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)));

    let Some(wanted_total) = types.total(asked, &chosen) else { return Vec::new() };
    let mut offers: Vec<Alternative> = Vec::new();
    for (_, _, group) in groups {
        let is_offered =
            |seat: &MapSeat| offers.iter().any(|offer| offer.seat_ids.contains(&seat.id));
        let given = types.give(&group).filter(|_| !group.iter().any(|seat| is_offered(seat)));
        let Some((given, sum)) = given else { continue };
        offers.push(Alternative {
            seat_ids: group.iter().map(|seat| seat.id).collect(),
            seats: group.iter().map(|seat| (*seat).clone()).collect(),
            seat_types: given.fields(),
            total: sum.all,
            reducible: sum.reducible,
            price_difference: sum.all.get() - wanted_total.get(),
        });
        if offers.len() == OFFERS_MAX {
            break;
        }
    }
    offers
}

fn sorted_prices<'a>(seats: impl Iterator<Item = &'a MapSeat>) -> Vec<Points> {
    let mut prices: Vec<Points> = seats.map(|seat| seat.price).collect();
    prices.sort();
    prices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::SeatKind, reservation::model::SeatStatus};

    /// One row of four seats, two of them taken.
    fn row(price: Points) -> Vec<MapSeat> {
        let seat = |number: i16| MapSeat {
            id: ScheduleSeatId(i64::from(number)),
            section: "Stalls".to_owned(),
            row_label: "A".to_owned(),
            number: i32::from(number),
            x: f32::from(number),
            y: 0.0,
            price,
            status: if number < 2 { SeatStatus::Held } else { SeatStatus::Available },
            kind: SeatKind::Standard,
            companion_of: None,
            category: None,
            is_on_return: false,
        };
        (0..4).map(seat).collect()
    }

    #[test]
    fn an_alternative_whose_total_cannot_be_counted_is_not_offered() {
        let taken = [0, 1].map(ScheduleSeatId);
        let totals = |price: i64| -> Vec<i64> {
            let row = row(Points::new(price).unwrap());
            let untyped = (&WantedTypes::default(), &TypesAsked::default());
            let offers = nearest(&row, &taken, &taken, Proposal::All, untyped);
            offers.iter().map(|offer| offer.total.get()).collect()
        };
        assert_eq!(totals(i64::MAX / 2), [i64::MAX - 1]);
        assert_eq!(totals(i64::MAX / 2 + 1), [0_i64; 0]);
    }

    #[test]
    fn the_same_price_comes_first_then_a_full_view_and_then_the_nearest() {
        let places = [
            (0, 20_i16, 50, SeatKind::Standard),
            (2, 21, 60, SeatKind::Standard),
            (4, 23, 50, SeatKind::RestrictedView),
            (6, 12, 50, SeatKind::Standard),
            (8, 27, 50, SeatKind::Standard),
        ];
        let some = row(Points::ONE).swap_remove(2);
        for is_turned in [false, true] {
            let mut house = places.map(|(number, place, price, kind)| MapSeat {
                id: ScheduleSeatId(i64::from(number)),
                number,
                x: if is_turned { 4.0 } else { f32::from(place) },
                y: if is_turned { f32::from(place) } else { 4.0 },
                price: Points::new(price).unwrap(),
                kind,
                ..some.clone()
            });
            // A lease takes a seat that reads as free.
            let taken = [ScheduleSeatId(0)];
            let offers = |house: &[MapSeat]| {
                let untyped = (&WantedTypes::default(), &TypesAsked::default());
                let offers = nearest(house, &taken, &taken, Proposal::All, untyped);
                let said = |offer: &Alternative| (offer.seat_ids[0].0, offer.price_difference);
                offers.iter().map(said).collect::<Vec<_>>()
            };
            assert_eq!(offers(&house), [(8, 0), (6, 0), (4, 0)]);
            assert_eq!(offers(&house[..3]), [(4, 0), (2, 10)]);
            // A request for a seat with a restricted view may be offered seats of either kind.
            house[0].kind = SeatKind::RestrictedView;
            assert_eq!(offers(&house), [(4, 0), (8, 0), (6, 0)]);
        }
    }

    #[test]
    fn kept_places_are_offered_to_whom_they_are_for_and_to_everybody_once_nothing_is_kept() {
        use SeatKind::{Companion, Standard, Wheelchair};
        let some = row(Points::ONE).swap_remove(2);
        let offers = |wanted: SeatKind, proposal: Proposal| {
            // The wanted seat, and behind it one of each kind, the companion's without its place.
            let kinds = [(0, wanted), (2, Companion), (4, Wheelchair), (6, Standard)];
            let house = kinds.map(|(number, kind)| MapSeat {
                id: ScheduleSeatId(i64::from(number)),
                number,
                x: 0.0,
                y: f32::from(i16::try_from(number).unwrap()),
                kind,
                ..some.clone()
            });
            let wanted = [ScheduleSeatId(0)];
            let untyped = (&WantedTypes::default(), &TypesAsked::default());
            let offers = nearest(&house, &wanted, &wanted, proposal, untyped);
            offers.iter().map(|offer| offer.seats[0].kind).collect::<Vec<_>>()
        };
        assert_eq!(offers(Standard, Proposal::All), [Companion, Wheelchair, Standard]);
        assert_eq!(offers(Standard, Proposal::NoneKept), [Standard]);
        assert_eq!(offers(Wheelchair, Proposal::Needed), [Wheelchair]);
        assert_eq!(offers(Standard, Proposal::Needed), [Standard]);
        assert_eq!(offers(Companion, Proposal::Needed), []);
    }
}
