//! Price types of proposed seats: the assignment of the types that a request counts, or names for
//! other seats, to the seats of a group. The types may be a moment old; the transaction that holds
//! reads them again.

use super::asked::TypesAsked;
use crate::{
    catalog::{
        PriceType, PriceTypeId,
        price_types::{PriceTypeError, rules},
    },
    points::Points,
    reservation::{codes::model::OrderSum, seat_map::seat::MapSeat},
};

/// Types wanted for seats of a group, each as often as it is wanted.
#[derive(Debug, Default)]
pub(crate) struct WantedTypes(Vec<WantedType>);

#[derive(Clone, Debug)]
struct WantedType {
    /// Terms that the request was shown.
    named: PriceTypeId,
    /// Current terms.
    current: PriceType,
}

impl WantedTypes {
    /// Returns the types `named`, each wanted as often as `named` has it; `types` has their terms.
    pub(crate) fn of(
        types: &[PriceType],
        named: impl IntoIterator<Item = PriceTypeId>,
    ) -> Result<Self, PriceTypeError> {
        let wanted = named.into_iter().map(|named| {
            let current = rules::current(types, named)?.clone();
            Ok(WantedType { named, current })
        });
        Ok(Self(wanted.collect::<Result<_, _>>()?))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the price of `seats` with the types that `asked` has for them; `None` on overflow.
    pub(crate) fn total(&self, asked: &TypesAsked, seats: &[&MapSeat]) -> Option<Points> {
        Points::sum(seats.iter().map(|seat| {
            let named = asked.by_seat.get(&seat.id);
            let named = named.filter(|_| !seat.is_on_return);
            let wanted = named.and_then(|named| self.0.iter().find(|each| each.named == *named));
            let cost = wanted.map(|each| rules::price(each.current.details.cost, seat.price));
            cost.unwrap_or(seat.price)
        }))
    }

    /// Returns the types of `seats`, and their price together; `None` on overflow, or if the seats
    /// cannot have the types. A seat on return has no type.
    pub(crate) fn give(&self, seats: &[&MapSeat]) -> Option<(TypesAsked, OrderSum)> {
        let (returned, free): (Vec<&MapSeat>, Vec<&MapSeat>) =
            seats.iter().partition(|seat| seat.is_on_return);
        let places: Vec<_> = free.iter().map(|seat| (seat.section.as_str(), seat.kind)).collect();
        let wanted: Vec<&PriceType> = self.0.iter().map(|wanted| &wanted.current).collect();
        let given = rules::assign(&places, &wanted)?;
        let (mut types, mut sum) = (TypesAsked::default(), OrderSum::default());
        for (seat, given) in free.iter().zip(given) {
            let cost = given.map(|given| rules::price(given.details.cost, seat.price));
            sum = sum.with(cost.unwrap_or(seat.price), 1, false)?;
            let named =
                given.and_then(|given| self.0.iter().find(|each| each.current.id == given.id));
            types.by_seat.extend(named.map(|named| (seat.id, named.named)));
        }
        let sum = returned.iter().try_fold(sum, |sum, seat| sum.with(seat.price, 1, true))?;
        Some((types, sum))
    }

    /// Returns the refusal of types that no free seats may have together; `seats` are the best
    /// seats without types.
    pub(crate) fn had_nowhere(&self, seats: &[&MapSeat]) -> PriceTypeError {
        let is_bound = |wanted: &&WantedType| {
            let details = &wanted.current.details;
            details.sections.is_some() || details.kinds.is_some()
        };
        let named = self.0.iter().find(is_bound).or(self.0.first());
        let name = named.map(|wanted| wanted.current.details.name.clone()).unwrap_or_default();
        let returned = seats.iter().filter(|seat| seat.is_on_return);
        let seat_ids: Vec<_> = returned.map(|seat| seat.id).collect();
        match seat_ids.is_empty() {
            true => PriceTypeError::WrongPlace { name },
            false => PriceTypeError::OnReturn { name, seat_ids },
        }
    }
}
