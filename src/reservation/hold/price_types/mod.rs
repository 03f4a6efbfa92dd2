//! Price types that requests name: their terms as the transaction reads them, and the prices of the
//! places. The rules are in `catalog::price_types`.
//!
//! What a request names is [`asked`]; which of it the seats get that are proposed to it is in [`wanted`].

pub(crate) mod asked;
pub(crate) mod wanted;

use std::collections::{BTreeSet, HashMap};

use self::asked::TypesAsked;
use super::store::{self, LockedSeat};
use crate::{
    catalog::{
        PriceType, PriceTypeId, ScheduleId, SeatId, SeatKind, ZoneId,
        price_types::{
            PriceTypeError, list_named,
            rules::{self, PricedPlaces},
        },
    },
    infra::postgres::Connection,
    points::Points,
    reservation::{error::ReservationError, model::ItemPriceType},
};

/// Terms that requests name, as read after the locks of their transaction.
#[derive(Debug, Default)]
pub(crate) struct TypesRead {
    pub(super) types: Vec<PriceType>,
    /// Sections of the seats.
    sections: HashMap<SeatId, String>,
    /// Name of the zone.
    zone: String,
}

/// Places with the same price and the same type.
#[derive(Clone, Debug)]
pub struct Priced {
    pub quantity: i32,
    pub unit_price: Points,
    pub price_type: Option<ItemPriceType>,
}

/// Prices of the places of one request.
#[derive(Debug)]
pub(crate) struct PlacePrices {
    pub places: Vec<Priced>,
    pub total: Points,
    /// Whether the request named the current terms of every type.
    is_as_named: bool,
}

impl TypesRead {
    /// Reads the terms `ids`, the sections of `seats` and the name of the zone. Reads nothing
    /// without `ids`.
    pub(crate) async fn read(
        tx: &mut Connection,
        schedule_id: ScheduleId,
        ids: &BTreeSet<PriceTypeId>,
        seats: impl Iterator<Item = &LockedSeat>,
        zone_id: Option<ZoneId>,
    ) -> Result<Self, sqlx::Error> {
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let ids: Vec<_> = ids.iter().copied().collect();
        let types = list_named(&mut *tx, schedule_id, &ids).await?;
        let seats: Vec<SeatId> = seats.map(|seat| seat.seat_id).collect();
        let sections = match seats.is_empty() {
            true => HashMap::new(),
            false => store::list_sections(&mut *tx, &seats).await?.into_iter().collect(),
        };
        let zone = match zone_id {
            Some(zone_id) => store::find_zone_name(tx, zone_id).await?.unwrap_or_default(),
            None => String::new(),
        };
        Ok(Self { types, sections, zone })
    }

    /// Returns the name of the first type of `asked`.
    pub(super) fn name_of(&self, asked: &TypesAsked) -> Result<String, PriceTypeError> {
        let id = asked.ids().next().ok_or(PriceTypeError::Unknown)?;
        Ok(rules::current(&self.types, id)?.details.name.clone())
    }

    /// Returns the prices of `seats`; refused if they break a rule of their types, or if a seat
    /// with a type is on return.
    pub(crate) fn price_seats(
        &self,
        asked: &TypesAsked,
        seats: &[&LockedSeat],
    ) -> Result<PlacePrices, ReservationError> {
        let returned = seats.iter().filter(|seat| seat.return_id.is_some()).map(|seat| seat.id);
        let returned: Vec<_> = returned.filter(|id| asked.by_seat.contains_key(id)).collect();
        if let Some(id) = returned.first().and_then(|seat| asked.by_seat.get(seat)) {
            let name = rules::current(&self.types, *id)?.details.name.clone();
            return Err(PriceTypeError::OnReturn { name, seat_ids: returned }.into());
        }
        let groups = seats.iter().map(|seat| {
            let section = self.sections.get(&seat.seat_id).map(String::as_str);
            let place = (section.unwrap_or_default(), seat.kind);
            (asked.by_seat.get(&seat.id).copied(), place, seat.price, 1)
        });
        self.price(groups)
    }

    /// Returns the prices of `quantity` places of the zone, whose ordinary price is `ordinary`;
    /// refused if they break a rule of their types.
    pub(crate) fn price_places(
        &self,
        asked: &TypesAsked,
        quantity: i32,
        ordinary: Points,
    ) -> Result<PlacePrices, ReservationError> {
        let n_ordinary = quantity.checked_sub(asked.n_counted()).filter(|left| *left >= 0);
        let n_ordinary = n_ordinary.ok_or(ReservationError::Inconsistent)?;
        let typed = asked.counts.iter().map(|(id, count)| (Some(*id), *count));
        let groups = [(None, n_ordinary)].into_iter().chain(typed).filter(|(_, n)| *n > 0);
        let place = (self.zone.as_str(), SeatKind::Standard);
        self.price(groups.map(|(id, n_places)| (id, place, ordinary, n_places)))
    }

    fn price<'a>(
        &'a self,
        groups: impl Iterator<Item = (Option<PriceTypeId>, (&'a str, SeatKind), Points, i32)>,
    ) -> Result<PlacePrices, ReservationError> {
        let (mut places, mut checked) = (Vec::new(), Vec::new());
        let (mut total, mut is_as_named) = (Points::ZERO, true);
        for (id, (section, kind), ordinary, quantity) in groups {
            let price_type = id.map(|id| rules::current(&self.types, id)).transpose()?;
            is_as_named &= price_type.map(|current| current.id) == id;
            let cost = price_type.map(|each| rules::price(each.details.cost, ordinary));
            let unit_price = cost.unwrap_or(ordinary);
            let sum = unit_price.checked_mul(i64::from(quantity));
            let sum = sum.and_then(|sum| total.checked_add(sum));
            total = sum.ok_or(ReservationError::Inconsistent)?;
            checked.push(PricedPlaces { price_type, section, kind, quantity });
            let price_type = price_type.map(|each| ItemPriceType {
                id: each.id,
                name: each.details.name.clone(),
                ordinary_price: ordinary,
            });
            places.push(Priced { quantity, unit_price, price_type });
        }
        rules::check(&checked)?;
        Ok(PlacePrices { places, total, is_as_named })
    }
}

impl PlacePrices {
    /// Refuses prices whose terms are not the ones that the request was shown.
    pub(crate) fn require_as_named(&self) -> Result<(), ReservationError> {
        match self.is_as_named {
            true => Ok(()),
            false => Err(PriceTypeError::Changed { total: self.total }.into()),
        }
    }
}
