//! Price types as the map shows them, and the page on which a browser without scripts chooses the
//! types of its seats.

use std::ops::RangeInclusive;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{entrance::Performance, names::full_seat_name};
use crate::{
    accounts::CachedAccount,
    app::App,
    catalog::{
        PriceType, PriceTypeId, Program, Programs, Schedule, ScheduleId, SeatKind, ZoneId,
        price_types::{Cost, list_current, pages::cost_words, rules},
    },
    infra::ids::new_id,
    points::Points,
    reservation::{
        hold::pages::{
            form::{BEST_USUAL, HoldForm},
            types::ORDINARY,
        },
        seat_map::{listing::ZoneState, seat::MapSeat, store},
    },
    web::{
        error::{BadRequest, PageError},
        page::{View, see_other},
    },
};

/// Number of places at the ordinary price that is preselected in the form of a zone.
const PLACES_USUAL: u32 = 1;

/// Current price types of a performance; empty if it has none.
pub(crate) struct TypesShown(Vec<PriceType>);

/// Price type that can be chosen, or the ordinary price.
pub(crate) struct TypeChoice {
    /// Value of the type in forms.
    pub key: String,
    pub name: String,
    /// Price of a place in words, or its part of the ordinary price.
    pub price: String,
    /// Percentage and fixed price, from which the script computes the price of a place.
    pub percent: Option<i32>,
    pub fixed: Option<i64>,
    /// Number of places that the form shows.
    pub count: u32,
}

/// Numbers of places that a form asks for, by price.
pub(crate) struct TypeQuantities {
    /// Ordinary price, then the types; empty if there are no types.
    pub choices: Vec<TypeChoice>,
}

impl TypeQuantities {
    /// Returns the typed numbers for `zone_id`, where `None` stands for the best seats. Without
    /// typed numbers the form shows `usual` places at the ordinary price.
    fn of(
        ordinary: TypeChoice,
        types: Vec<TypeChoice>,
        (zone_id, usual): (Option<&ZoneId>, u32),
        form: &HoldForm,
    ) -> Self {
        if types.is_empty() {
            return Self { choices: types };
        }
        let mut choices: Vec<_> = std::iter::once(ordinary).chain(types).collect();
        for choice in &mut choices {
            let usual = if choice.key == ORDINARY { usual } else { 0 };
            choice.count = form.count_in(zone_id, &choice.key).unwrap_or(usual);
        }
        Self { choices }
    }
}

impl TypeChoice {
    /// Returns the numbers of places that may be chosen, from zero.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self,
        reason = "called from the template"
    )]
    pub(crate) fn counts(&self, places_max: &u32) -> RangeInclusive<u32> {
        0..=*places_max
    }

    fn of(price_type: &PriceType, price: String) -> Self {
        let (percent, fixed) = (price_type.percent(), price_type.fixed());
        let name = price_type.details.name.clone();
        Self { key: price_type.id.to_string(), name, price, percent, fixed, count: 0 }
    }

    fn ordinary(v: &View, price: String) -> Self {
        let name = v.t("price-type-ordinary").to_string();
        let key = ORDINARY.to_owned();
        Self { key, name, price, percent: Some(100), fixed: None, count: 0 }
    }
}

/// Returns the price of a place as the type, in words.
fn price_words(v: &View, price_type: &PriceType, ordinary: Points) -> String {
    match price_type.details.cost {
        Cost::Percent(0) => v.t("price-type-free").to_string(),
        cost => v.price(rules::price(cost, ordinary).get()),
    }
}

impl TypesShown {
    /// Reads the types of a performance; runs no query if it has none.
    pub(crate) async fn read(app: &App, schedule: &Schedule) -> Result<Self, sqlx::Error> {
        Ok(Self(match schedule.has_price_types {
            true => list_current(&app.db, schedule.id).await?,
            false => Vec::new(),
        }))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn all(&self) -> &[PriceType] {
        &self.0
    }

    /// Returns the positions of the types that a seat may have, for the script; `None` if it may
    /// have all.
    pub(crate) fn positions(&self, seat: &MapSeat) -> Option<String> {
        let may_have =
            |(_, each): &(usize, &PriceType)| each.details.is_for(&seat.section, seat.kind);
        let positions = self.0.iter().enumerate().filter(may_have);
        let positions: Vec<String> = positions.map(|(idx, _)| idx.to_string()).collect();
        (positions.len() < self.0.len()).then(|| positions.join(" "))
    }

    /// Returns the type of a seat in a refused form.
    pub(crate) fn typed(&self, typed: &HoldForm, seat: &MapSeat) -> Option<PriceTypeId> {
        let ids = self.0.iter().map(|each| each.id);
        ids.into_iter().find(|id| typed.is_type(&seat.id, id))
    }

    /// Returns the numbers of places that the form of a zone asks for.
    pub(super) fn of_zone(&self, v: &View, zone: &ZoneState, form: &HoldForm) -> TypeQuantities {
        let types = self.0.iter().filter(|_| !zone.is_on_return());
        let types = types.filter(|each| each.details.is_for(&zone.name, SeatKind::Standard));
        let types = types.map(|each| TypeChoice::of(each, price_words(v, each, zone.price)));
        let types: Vec<_> = types.collect();
        let ordinary = TypeChoice::ordinary(v, v.price(zone.price.get()));
        TypeQuantities::of(ordinary, types, (Some(&zone.id), PLACES_USUAL), form)
    }

    /// Returns the numbers of places that the form of the best seats asks for.
    pub(super) fn of_best(&self, v: &View, form: &HoldForm) -> TypeQuantities {
        let types = self.0.iter().map(|each| TypeChoice::of(each, cost_words(v, each)));
        let ordinary = TypeChoice::ordinary(v, String::new());
        TypeQuantities::of(ordinary, types.collect(), (None, BEST_USUAL), form)
    }
}

#[derive(Template)]
#[template(path = "reservation/seat_types.html")]
struct SeatTypesPage<'a> {
    v: &'a View,
    program: &'a Program,
    schedule: &'a Schedule,
    types: &'a TypesShown,
    seats: Vec<MapSeat>,
    /// Version of the prices, read before the seats.
    price_version: i64,
    typed: &'a HoldForm,
    request_key: Uuid,
}

impl SeatTypesPage<'_> {
    fn name(&self, seat: &MapSeat) -> String {
        full_seat_name(self.v, (&seat.section, &seat.row_label, seat.number), seat.kind)
    }

    /// Returns the types that a seat may have, each with the price of the seat.
    fn choices(&self, seat: &MapSeat) -> Vec<(PriceTypeId, &str, String)> {
        let types = self.types.0.iter().filter(|_| !seat.is_on_return);
        let types = types.filter(|each| each.details.is_for(&seat.section, seat.kind));
        let choice = |each: &'_ PriceType| price_words(self.v, each, seat.price);
        types.map(|each| (each.id, each.details.name.as_str(), choice(each))).collect()
    }
}

/// Price types of a performance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TypesDocument<'a> {
    price_types: &'a [PriceType],
}

/// Handles `GET /schedules/{id}/price-types`: the types as JSON; for a browser a form for the types
/// of its chosen seats, or a redirect to the map if no seats are chosen or there are no types.
pub async fn show_price_types(
    app: Data<App>,
    programs: Data<Programs>,
    request: HttpRequest,
    id: Path<ScheduleId>,
    me: CachedAccount,
) -> Result<HttpResponse, PageError> {
    let performance = Performance::find(&app, &programs, *id).await?;
    let admitted = performance.admit(&app, &request, me.account_id).await?;
    let types = TypesShown::read(&app, &performance.schedule).await?;
    if me.view.format.is_for_programs() {
        let document = TypesDocument { price_types: types.all() };
        return Ok(admitted.stamp(me.view.json(StatusCode::OK, &document)));
    }
    let Ok(form) = serde_html_form::from_str::<HoldForm>(request.query_string()) else {
        return Err(BadRequest.into());
    };
    let seat_ids = form.seats().unwrap_or_default();
    if types.is_empty() || seat_ids.is_empty() {
        return Ok(admitted.stamp(see_other(&format!("/schedules/{}", *id))));
    }
    // The version is read before the seats, so no seat's price is newer than the version.
    let price_version = store::position(&app.db, *id).await?.price_version;
    let mut seats = store::list_rows_of(&app.db, *id, &seat_ids).await?;
    seats.retain(|seat| seat_ids.contains(&seat.id));
    let page = SeatTypesPage {
        v: &me.view,
        program: &performance.program,
        schedule: &performance.schedule,
        types: &types,
        seats,
        price_version,
        typed: &form,
        request_key: new_id(),
    };
    Ok(admitted.stamp(me.view.html(StatusCode::OK, &page)))
}
