//! Costs of places of price types, and limits of an order of them. Pure.

use super::{
    error::PriceTypeError,
    model::{Cost, PriceType, PriceTypeId},
};
use crate::{catalog::venues::kind::SeatKind, points::Points};

/// Places of one order that are alike.
#[derive(Clone, Copy, Debug)]
pub struct PricedPlaces<'a> {
    /// Their type; `None`: the ordinary price.
    pub price_type: Option<&'a PriceType>,
    /// Section of the seat, or name of the zone.
    pub section: &'a str,
    /// Kind of the seat; places of zones are ordinary.
    pub kind: SeatKind,
    /// Number of places; 1 for a seat.
    pub quantity: i32,
}

/// Returns the cost of a place whose ordinary price is `ordinary`: never more than that, a percentage
/// rounded down to whole points, and nothing only if the type is free or the place costs nothing.
pub fn price(cost: Cost, ordinary: Points) -> Points {
    match cost {
        Cost::Percent(0) => Points::ZERO,
        Cost::Percent(percent) => {
            let share = ordinary.share(percent).unwrap_or(ordinary);
            share.max(ordinary.min(Points::ONE))
        }
        Cost::Price(price) => price.min(ordinary),
    }
}

/// Returns the current terms of the type whose terms `id` were shown, among `types`, which has both.
pub fn current(types: &[PriceType], id: PriceTypeId) -> Result<&PriceType, PriceTypeError> {
    let named = types.iter().find(|each| each.id == id).ok_or(PriceTypeError::Unknown)?;
    let mut current = types.iter().filter(|each| !each.is_withdrawn);
    current
        .find(|each| each.series_id == named.series_id)
        .ok_or_else(|| PriceTypeError::Gone { name: named.details.name.clone() })
}

/// Refuses the places of an order whose types may not be had there, so often, or without others.
pub fn check(places: &[PricedPlaces<'_>]) -> Result<(), PriceTypeError> {
    for each in places {
        let Some(price_type) = each.price_type else { continue };
        let (details, id) = (&price_type.details, price_type.id);
        let name = || details.name.clone();
        if !details.is_for(each.section, each.kind) {
            return Err(PriceTypeError::WrongPlace { name: name() });
        }
        let n_places = count(places, |other| other.price_type.is_some_and(|other| other.id == id));
        if let Some(places_max) = details.per_order_max.filter(|max| n_places > i64::from(*max)) {
            return Err(PriceTypeError::TooMany { name: name(), places_max });
        }
        let Some(beside) = details.beside else { continue };
        let n_beside =
            count(places, |other| beside.is_met_by(other.price_type.is_some(), other.kind));
        if n_places > beside_max(n_beside, details.per_beside_max) {
            let per_beside_max = details.per_beside_max;
            return Err(PriceTypeError::alone(name(), beside, per_beside_max));
        }
    }
    Ok(())
}

/// Returns how many places of a type `n_beside` places allow, with `per_beside_max` for each of them;
/// `None`: any number beside one.
pub fn beside_max(n_beside: i64, per_beside_max: Option<i32>) -> i64 {
    match per_beside_max {
        Some(max) => n_beside.saturating_mul(i64::from(max)),
        None if n_beside > 0 => i64::MAX,
        None => 0,
    }
}

fn count(places: &[PricedPlaces<'_>], is_counted: impl Fn(&PricedPlaces<'_>) -> bool) -> i64 {
    places.iter().filter(|each| is_counted(each)).map(|each| i64::from(each.quantity)).sum()
}

/// Returns a type for each of `seats`, given by section and kind, so that every one of `wanted` is
/// given to a seat that may have it; `None` if that cannot be.
pub fn assign<'a>(
    seats: &[(&str, SeatKind)],
    wanted: &[&'a PriceType],
) -> Option<Vec<Option<&'a PriceType>>> {
    let mut given: Vec<Option<&PriceType>> = vec![None; seats.len()];
    for price_type in wanted {
        let mut tried = vec![false; seats.len()];
        if !give(seats, price_type, &mut given, &mut tried) {
            return None;
        }
    }
    Some(given)
}

/// Gives a seat to `price_type`, moving types that have one to another seat where they may have it.
fn give<'a>(
    seats: &[(&str, SeatKind)],
    price_type: &'a PriceType,
    given: &mut [Option<&'a PriceType>],
    tried: &mut [bool],
) -> bool {
    for (idx, (section, kind)) in seats.iter().enumerate() {
        if !price_type.details.is_for(section, *kind) {
            continue;
        }
        let is_tried = tried.get_mut(idx).map(|tried| std::mem::replace(tried, true));
        if is_tried != Some(false) {
            continue;
        }
        let before = given.get(idx).copied().flatten();
        if before.is_none_or(|before| give(seats, before, given, tried)) {
            if let Some(seat) = given.get_mut(idx) {
                *seat = Some(price_type);
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::catalog::price_types::{Company, PriceTypeDetails, PriceTypeSeriesId};

    fn points(amount: i64) -> Points {
        Points::new(amount).unwrap()
    }

    fn named(name: &str) -> PriceType {
        PriceType {
            id: PriceTypeId(Uuid::now_v7()),
            series_id: PriceTypeSeriesId(Uuid::now_v7()),
            details: PriceTypeDetails {
                name: name.to_owned(),
                note: String::new(),
                cost: Cost::Percent(50),
                sections: None,
                kinds: None,
                per_order_max: None,
                beside: None,
                per_beside_max: None,
            },
            is_withdrawn: false,
        }
    }

    fn in_stalls(price_type: Option<&PriceType>, quantity: i32) -> PricedPlaces<'_> {
        PricedPlaces { price_type, section: "Stalls", kind: SeatKind::Standard, quantity }
    }

    #[test]
    fn no_type_is_dearer_than_the_ordinary_price_and_none_is_free_by_rounding() {
        let amounts = [0, 1, 2, 99, 100, 33_333, i64::MAX].map(points);
        for ordinary in amounts {
            assert_eq!(price(Cost::Percent(0), ordinary), Points::ZERO);
            assert_eq!(price(Cost::Percent(100), ordinary), ordinary);
            let mut before = Points::ZERO;
            for percent in 1..=100 {
                let cost = price(Cost::Percent(percent), ordinary);
                assert!(before <= cost && cost <= ordinary, "{percent}% of {ordinary}: {cost}");
                assert_eq!(cost == Points::ZERO, ordinary == Points::ZERO, "{percent}%");
                before = cost;
            }
            for fixed in amounts.into_iter().filter(|fixed| *fixed > Points::ZERO) {
                assert_eq!(price(Cost::Price(fixed), ordinary), fixed.min(ordinary));
            }
        }
        assert_eq!(price(Cost::Percent(50), points(33_333)), points(16_666));
        assert_eq!(price(Cost::Percent(1), points(50)), points(1));
    }

    #[test]
    fn a_type_is_had_only_where_it_is_for() {
        let mut student = named("Student");
        student.details.sections = Some(vec!["Balcony".to_owned()]);
        student.details.kinds = Some(vec![SeatKind::Standard, SeatKind::RestrictedView]);
        let at =
            |section, kind| PricedPlaces { price_type: Some(&student), section, kind, quantity: 1 };
        assert_eq!(check(&[at("Balcony", SeatKind::Standard)]), Ok(()));
        let elsewhere = Err(PriceTypeError::WrongPlace { name: "Student".to_owned() });
        assert_eq!(check(&[at("Stalls", SeatKind::Standard)]), elsewhere);
        assert_eq!(check(&[at("Balcony", SeatKind::Wheelchair)]), elsewhere);
    }

    #[test]
    fn an_order_has_a_type_as_often_as_it_may() {
        let mut child = named("Child");
        child.details.per_order_max = Some(2);
        for (quantity, others, is_allowed) in
            [(2, 0, true), (3, 0, false), (1, 1, true), (2, 1, false)]
        {
            let mut order = vec![in_stalls(Some(&child), quantity), in_stalls(None, 5)];
            order.extend((0..others).map(|_| in_stalls(Some(&child), 1)));
            assert_eq!(check(&order).is_ok(), is_allowed, "{quantity} and {others}");
        }
    }

    #[test]
    fn a_child_comes_with_somebody_at_the_ordinary_price() {
        let (mut child, student) = (named("Child"), named("Student"));
        child.details.beside = Some(Company::Ordinary);
        let order = |n_children, n_students, n_ordinary| {
            let groups =
                [(Some(&child), n_children), (Some(&student), n_students), (None, n_ordinary)];
            let places = groups.into_iter().filter(|(_, n_places)| *n_places > 0);
            places.map(|(each, n_places)| in_stalls(each, n_places)).collect::<Vec<_>>()
        };
        assert!(check(&order(9, 0, 1)).is_ok());
        assert!(check(&order(0, 9, 0)).is_ok());
        let alone = check(&order(1, 5, 0)).unwrap_err();
        assert!(matches!(alone, PriceTypeError::WithoutOrdinary { .. }), "{alone}");
    }

    #[test]
    fn for_each_wheelchair_place_there_are_so_many_companions() {
        let mut companion = named("Companion");
        companion.details.beside = Some(Company::Wheelchair);
        for (per_place, n_wheelchairs, n_companions, is_allowed) in [
            (1, 1, 1, true),
            (1, 1, 2, false),
            (1, 0, 1, false),
            (2, 1, 2, true),
            (2, 2, 4, true),
            (2, 2, 5, false),
        ] {
            companion.details.per_beside_max = Some(per_place);
            let mut order = vec![in_stalls(Some(&companion), n_companions), in_stalls(None, 3)];
            let wheelchair = PricedPlaces { kind: SeatKind::Wheelchair, ..in_stalls(None, 1) };
            order.extend((0..n_wheelchairs).map(|_| wheelchair));
            assert_eq!(check(&order).is_ok(), is_allowed, "{per_place}, {n_wheelchairs}");
        }
    }

    /// Whether the types can be given to seats at all, found by trying every order.
    fn can_be_given(seats: &[(&str, SeatKind)], wanted: &[&PriceType]) -> bool {
        let Some((first, others)) = wanted.split_first() else { return true };
        (0..seats.len()).any(|idx| {
            let mut left = seats.to_vec();
            let (section, kind) = left.remove(idx);
            first.details.is_for(section, kind) && can_be_given(&left, others)
        })
    }

    #[test]
    fn types_are_given_to_seats_whenever_they_can_be() {
        let of_kinds = |name: &str, kinds: &[SeatKind]| {
            let mut price_type = named(name);
            price_type.details.kinds = Some(kinds.to_vec());
            price_type
        };
        let types = [
            named("Anybody"),
            of_kinds("Standard", &[SeatKind::Standard]),
            of_kinds("Companion", &[SeatKind::Companion]),
            of_kinds("Both", &[SeatKind::Companion, SeatKind::Standard]),
        ];
        let kinds = [SeatKind::Standard, SeatKind::Companion, SeatKind::EasyAccess];
        let (mut n_given, mut n_refused) = (0, 0);
        // Every choice of three seats and of three types.
        for code in 0..27 * 64_usize {
            let digit = |base: usize, place: u32, code: usize| code / base.pow(place) % base;
            let seats: Vec<_> =
                (0..3).map(|place| ("Stalls", kinds[digit(3, place, code % 27)])).collect();
            let wanted: Vec<_> = (0..3).map(|place| &types[digit(4, place, code / 27)]).collect();
            let given = assign(&seats, &wanted);
            assert_eq!(given.is_some(), can_be_given(&seats, &wanted), "{seats:?}");
            let Some(given) = given else {
                n_refused += 1;
                continue;
            };
            n_given += 1;
            for price_type in &types {
                let count = |ids: Vec<PriceTypeId>| {
                    ids.into_iter().filter(|id| *id == price_type.id).count()
                };
                let given = count(given.iter().flatten().map(|each| each.id).collect());
                assert_eq!(given, count(wanted.iter().map(|each| each.id).collect()));
            }
            for (given, (section, kind)) in given.iter().zip(&seats) {
                assert!(given.is_none_or(|given| given.details.is_for(section, *kind)));
            }
        }
        assert!(n_given > 0 && n_refused > 0, "{n_given}, {n_refused}");
    }

    #[test]
    fn whoever_was_shown_old_terms_gets_the_current_ones_of_the_same_type() {
        let (old, other) = (named("Student"), named("Child"));
        let new = PriceType { id: PriceTypeId(Uuid::now_v7()), ..old.clone() };
        let old = PriceType { is_withdrawn: true, ..old };
        let types = [other.clone(), old.clone(), new.clone()];
        assert_eq!(current(&types, old.id), Ok(&new));
        assert_eq!(current(&types, new.id), Ok(&new));
        assert_eq!(current(&types[..2], other.id), Ok(&other));
        let gone = PriceTypeError::Gone { name: "Student".to_owned() };
        assert_eq!(current(&types[..2], old.id), Err(gone));
        assert_eq!(current(&types[..2], new.id), Err(PriceTypeError::Unknown));
    }
}
