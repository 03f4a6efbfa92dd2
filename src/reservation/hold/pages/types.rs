//! Price types in the form of a hold: `seat_types` has `SEAT:TYPE` for each seat that has a type,
//! `quantities` has `TYPE:COUNT`, where `ordinary` stands for the ordinary price. A type is given
//! by the id of its terms.

use std::collections::BTreeMap;

use crate::{
    catalog::{PriceTypeId, ScheduleSeatId},
    reservation::{hold::price_types::asked::TypesAsked, model::Choice},
    web::form::{Field, Fields, Mistakes},
};

/// Name of the ordinary price among the quantities.
pub const ORDINARY: &str = "ordinary";

/// Number of places of each price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Quantities {
    /// Places at the ordinary price, if they were stated.
    ordinary: Option<i32>,
    /// Places of each type; only types with at least one.
    pub(super) counts: BTreeMap<PriceTypeId, i32>,
}

impl Quantities {
    /// Returns the number of places; `quantity` is the number in another field. `None` if there are
    /// none, or if the two disagree.
    pub(super) fn total(&self, quantity: Option<i32>) -> Option<i32> {
        let typed = self.counts.values().try_fold(0_i32, |sum, count| sum.checked_add(*count))?;
        let counted = typed.checked_add(self.ordinary.unwrap_or_default())?;
        match (quantity, self.ordinary) {
            (None, _) => Some(counted).filter(|total| *total > 0),
            (Some(quantity), None) => Some(quantity).filter(|total| counted <= *total),
            (Some(quantity), Some(_)) => Some(quantity).filter(|total| counted == *total),
        }
    }
}

/// Returns the price types of a choice, by the fields of its form.
pub(super) fn asked(
    mistakes: &mut Mistakes,
    (named, counted): (&Fields, &Fields),
    choice: &Choice,
) -> Option<TypesAsked> {
    let seats = match choice {
        Choice::Seats(ids) => ids.as_slice(),
        Choice::Places { .. } | Choice::Best(_) => &[],
    };
    let by_seat = seat_types(named, seats);
    let by_seat = mistakes.note("seat_types", "reservation-refusal-price-type", by_seat);
    // Each of several seats by id has its own type, so counts are refused.
    let counted =
        quantities(counted).filter(|counted| seats.is_empty() || counted.counts.is_empty());
    let counted = mistakes.note("quantities", "reservation-refusal-price-type", counted);
    let (by_seat, counted) = by_seat.zip(counted)?;
    Some(TypesAsked { by_seat, counts: counted.counts })
}

/// Returns the number of places in `field`, and by price types; they must agree.
pub(super) fn quantity(counted: &Fields, field: &Field) -> Option<i32> {
    let quantity = match field.is_empty() {
        true => None,
        false => Some(field.parse().filter(|quantity: &i32| *quantity > 0)?),
    };
    if filled(counted).next().is_none() {
        return quantity;
    }
    quantities(counted)?.total(quantity)
}

/// Returns the types of the seats in `seats` that have one; `None` for a malformed field, for
/// another seat, and for a seat that is named twice. An empty field stands for a seat at the
/// ordinary price.
pub(super) fn seat_types(
    fields: &Fields,
    seats: &[ScheduleSeatId],
) -> Option<BTreeMap<ScheduleSeatId, PriceTypeId>> {
    let mut types = BTreeMap::new();
    for field in filled(fields) {
        let (seat, price_type) = field.text().split_once(':')?;
        let seat = seat.parse().ok().filter(|seat| seats.contains(seat))?;
        if types.insert(seat, price_type.parse().ok()?).is_some() {
            return None;
        }
    }
    Some(types)
}

/// Returns the quantities; `None` for a malformed field or a type that is named twice.
pub(super) fn quantities(fields: &Fields) -> Option<Quantities> {
    let mut found = Quantities::default();
    for field in filled(fields) {
        let (price_type, count) = field.text().split_once(':')?;
        let count: i32 = count.parse().ok().filter(|count| *count >= 0)?;
        let before = match price_type {
            ORDINARY => found.ordinary.replace(count),
            id => found.counts.insert(id.parse().ok()?, count),
        };
        if before.is_some() {
            return None;
        }
    }
    found.counts.retain(|_, count| *count > 0);
    Some(found)
}

/// Returns the fields that are not empty.
pub(super) fn filled(fields: &Fields) -> impl Iterator<Item = &Field> {
    fields.0.iter().filter(|field| !field.is_empty())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn fields(texts: &[&str]) -> Fields {
        Fields(texts.iter().map(Field::of).collect())
    }

    #[test]
    fn each_seat_of_the_order_has_one_type() {
        let (id, seats) = (Uuid::now_v7(), [7, 8].map(ScheduleSeatId));
        let typed = |texts: &[&str]| seat_types(&fields(texts), &seats).map(|types| types.len());
        let (seven, eight) = (format!("7:{id}"), format!("8:{id}"));
        assert_eq!(typed(&[]), Some(0));
        assert_eq!(typed(&["", &seven]), Some(1));
        assert_eq!(typed(&[&eight, &seven]), Some(2));
        for refused in [vec![seven.as_str(); 2], vec!["7"], vec!["7:child"], vec!["x:"]] {
            assert_eq!(typed(&refused), None, "{refused:?}");
        }
        assert_eq!(typed(&[&format!("9:{id}")]), None);
    }

    #[test]
    fn quantities_add_up_to_the_places_of_the_order() {
        let (child, student) = (Uuid::now_v7(), Uuid::now_v7());
        let total = |texts: &[String], quantity| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            quantities(&fields(&texts))?.total(quantity)
        };
        let two = [format!("{child}:1"), format!("{student}:1")];
        assert_eq!(total(&two, None), Some(2));
        assert_eq!(total(&two, Some(3)), Some(3));
        assert_eq!(total(&two, Some(1)), None);
        let with_ordinary = [format!("{child}:1"), "ordinary:2".to_owned()];
        assert_eq!(total(&with_ordinary, None), Some(3));
        assert_eq!(total(&with_ordinary, Some(3)), Some(3));
        assert_eq!(total(&with_ordinary, Some(4)), None);
        assert_eq!(total(&["ordinary:0".to_owned(), format!("{child}:0")], None), None);
        for refused in ["ordinary:-1", "child:1", "ordinary", "ordinary:9999999999"] {
            assert_eq!(total(&[refused.to_owned()], None), None, "{refused}");
        }
        assert_eq!(total(&[format!("{child}:1"), format!("{child}:1")], None), None);
        let most = [format!("{child}:{}", i32::MAX), "ordinary:1".to_owned()];
        assert_eq!(total(&most, None), None);
    }
}
