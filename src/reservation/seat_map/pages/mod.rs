//! Pages of the seat map: the map, its zones, and the forms that hold them.

mod arcs;
pub mod changes;
mod code_box;
mod document;
pub mod drawing;
pub mod entrance;
pub mod kinds;
pub mod names;
pub mod overview;
mod price_mark;
pub mod price_types;
pub mod reading;
mod seat_view;
mod section_texts;
mod sight_texts;
pub mod stage;

use std::ops::RangeInclusive;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Bytes, Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use tokio::{join, try_join};
use uuid::Uuid;

use self::{
    document::map_document,
    entrance::{Admitted, Performance},
    kinds::{KindsShown, kind_name},
    names::{price_difference, seat_name, seat_names},
    price_types::{TypeQuantities, TypesShown},
    reading::{MapPart, MapQuery, MapView, OpenParts, read_map, read_position},
    seat_view::SeatView,
};
use super::{listing::ZoneState, maps::SeatMaps, seat::MapSeat, store::MapCursor};
use crate::{
    accounts::{AccountId, Arriving, CachedAccount},
    app::App,
    catalog::{Program, Programs, Schedule, ScheduleId, SeatKind},
    infra::ids::new_id,
    points::Points,
    reservation::{
        codes::model::SaleCode,
        hold::{
            pages::{
                form::HoldForm,
                refused::{Refusal, Refused, SentForm, kept_until},
            },
            waiting_here::WaitingHere,
        },
        lifecycle::store::exchanges::{ShownExchange, find_open_exchange},
        returns::store::is_any_on_return,
    },
    text::i18n::Phrase,
    web::{error::PageError, page::View},
};

#[derive(Template)]
#[template(path = "reservation/map.html")]
struct SeatMapPage<'a> {
    v: &'a View,
    program: &'a Program,
    schedule: &'a Schedule,
    stay_ends_at: DateTime<Utc>,
    now: DateTime<Utc>,
    map: MapView,
    waiting: WaitingHere,
    kinds: KindsShown,
    types: TypesShown,
    places_min: u32,
    places_max: u32,
    refusal: Option<Refusal<'a>>,
    /// Exchange whose tickets pay for what is chosen here.
    exchange: Option<ShownExchange>,
    /// Form that was sent, or an empty one.
    typed: HoldForm,
    /// Code that the forms of the page send.
    code: Option<SaleCode>,
}

impl SeatMapPage<'_> {
    fn title(&self) -> &'static str {
        if self.has_seats() { "seat-title" } else { "seat-title-zones" }
    }

    /// Returns the numbers of seats or places that an order may have, fewest first.
    fn order_sizes(&self) -> RangeInclusive<u32> {
        self.places_min..=self.places_max
    }

    fn lede(&self) -> &'static str {
        if self.has_seats() { "seat-lede" } else { "seat-lede-zones" }
    }

    /// Returns a request key; each form on the page needs its own.
    #[expect(clippy::unused_self, reason = "called from the template")]
    fn new_key(&self) -> Uuid {
        new_id()
    }

    fn has_seats(&self) -> bool {
        !self.map.sections.is_empty()
    }

    fn seat_name(&self, seat: &MapSeat) -> Phrase {
        seat_name(self.v, seat, self.map.sections.len() > 1)
    }

    /// Returns the name of a kind; empty for ordinary seats.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from the template")]
    fn kind_name(&self, kind: &SeatKind) -> String {
        kind_name(self.v, *kind)
    }

    /// Returns when kept places go on general sale, as a sentence.
    fn kept_until(&self) -> Option<String> {
        let at = self.schedule.general_sale_at()?;
        Some(kept_until(self.v, self.schedule, at))
    }

    fn seat_label(&self, view: &SeatView) -> Phrase {
        let label = match view.seat.kind.is_standard() {
            true => self.v.t("seat-label"),
            false => self.v.t("seat-label-kind").word("kind", self.kind_name(&view.seat.kind)),
        };
        label
            .word("name", self.seat_name(&view.seat))
            .word("amount", self.v.price(view.seat.price.get()))
            .word("status", self.v.text(format!("seat-status-{}", view.word())))
    }

    fn names(&self, seats: &[MapSeat]) -> String {
        seat_names(self.v, seats, self.map.sections.len() > 1)
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from the template")]
    fn price_difference(&self, points: &i64) -> Option<Phrase> {
        price_difference(self.v, *points)
    }

    /// Returns the address of the same part of the map with the filter for step-free seats on or off.
    fn filter_href(&self) -> String {
        let mut query = Vec::new();
        query.extend(self.map.section.as_deref().map(|section| ("section", section)));
        query.extend((!self.kinds.is_step_free).then_some(("step_free", "on")));
        let query = serde_html_form::to_string(query).unwrap_or_default();
        format!("/schedules/{}?{query}", self.schedule.id)
    }

    /// Returns every known price, most expensive first.
    fn prices(&self) -> Vec<Points> {
        let sections = self.map.sections.iter();
        let ends = sections.flat_map(|section| [section.price_min, section.price_max]);
        let drawn = self.map.drawing.prices.iter().map(|mark| mark.price);
        let mut prices: Vec<Points> = ends.chain(drawn).collect();
        prices.sort_by(|left, right| right.cmp(left));
        prices.dedup();
        prices
    }

    /// Returns a price after the price categories of its seats, if any are drawn.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from the template")]
    fn price_name(&self, price: &Points) -> String {
        let amount = self.v.price(price.get());
        let mark = self.map.drawing.prices.iter().find(|mark| mark.price == *price);
        match mark.map(|mark| mark.categories.as_str()) {
            None | Some("") => amount,
            Some(categories) => format!("{categories} · {amount}"),
        }
    }

    #[expect(
        clippy::unused_self,
        clippy::trivially_copy_pass_by_ref,
        reason = "called from the template"
    )]
    fn has_left(&self, zone: &ZoneState, quantity: &u32) -> bool {
        i64::from(*quantity) <= i64::from(zone.remaining)
    }

    fn zone_quantities(&self, zone: &ZoneState) -> TypeQuantities {
        self.types.of_zone(self.v, zone, &self.typed)
    }

    fn best_quantities(&self) -> TypeQuantities {
        self.types.of_best(self.v, &self.typed)
    }

    /// Returns the pattern with which the script names seats.
    fn name_pattern(&self) -> Phrase {
        let name = if self.map.sections.len() > 1 { "seat-name-full" } else { "seat-name" };
        let pattern = self.v.t(name).word("section", "{section}").word("row", "{row}");
        pattern.word("number", "{number}")
    }

    /// Returns the pattern with which the script labels seats.
    fn label_pattern(&self) -> Phrase {
        let pattern = self.v.t("seat-label").word("name", "{name}");
        pattern.word("amount", "{amount}").word("status", "{status}")
    }

    /// Returns the pattern with which the script labels seats of a marked kind.
    fn label_kind_pattern(&self) -> Phrase {
        let pattern = self.v.t("seat-label-kind").word("name", "{name}").word("kind", "{kind}");
        pattern.word("amount", "{amount}").word("status", "{status}")
    }
}

/// Handles `GET /schedules/{id}`.
pub async fn show_seat_map(
    app: Data<App>,
    maps: Data<SeatMaps>,
    programs: Data<Programs>,
    request: HttpRequest,
    id: Path<ScheduleId>,
    query: Query<MapQuery>,
    me: Arriving<CachedAccount>,
) -> Result<HttpResponse, PageError> {
    let is_document = View::of(&request).format.is_for_programs();
    let (me, (performance, admitted, position)) = me
        .with(async |account_id| {
            let performance = Performance::find(&app, &programs, *id).await?;
            // The position is as good when it is read while the stay is, and costs nothing to speak of for an account
            // that is not admitted.
            let (admitted, position) =
                join!(performance.admit(&app, &request, account_id), async {
                    if is_document { Ok(None) } else { read_position(&app, &maps, *id).await }
                });
            Ok::<_, PageError>((performance, admitted?, position))
        })
        .await?;
    let part = query.into_inner().part();
    let answer = if is_document {
        let open = OpenParts::read(&app, &performance.schedule, me.account_id).await?;
        let document = map_document(&app, &maps, *id, part.section.as_deref(), open).await?;
        let mut answer = HttpResponse::Ok();
        answer.content_type("application/json").body(Bytes::from_owner(document))
    } else {
        let shown = ShownMap { performance: &performance, admitted: &admitted, part, sent: None };
        shown.page(&app, &maps, &me.view, position?).await?
    };
    Ok(admitted.stamp(answer))
}

/// Returns the least number of places of an order: one if a place is on return, because such places
/// are sold in any number.
async fn places_min(app: &App, performance: &Performance) -> Result<u32, sqlx::Error> {
    let places_min = performance.program.places_per_order_min;
    let is_one = places_min <= 1 || is_any_on_return(&app.db, performance.schedule.id).await?;
    Ok(if is_one { 1 } else { u32::try_from(places_min).unwrap_or(1) })
}

/// Returns the open exchange of an account; `None` without asking where the show has none.
async fn open_exchange(
    app: &App,
    account_id: AccountId,
    program: &Program,
) -> Result<Option<ShownExchange>, sqlx::Error> {
    match program.exchange_fee {
        Some(_) => find_open_exchange(&app.db, account_id, program.id).await,
        None => Ok(None),
    }
}

/// Map to be shown to an admitted account, with the refusal and the code of a form that was sent.
pub(crate) struct ShownMap<'a> {
    pub(crate) performance: &'a Performance,
    pub(crate) admitted: &'a Admitted,
    pub(crate) part: MapPart,
    pub(crate) sent: Option<SentForm<'a>>,
}

impl ShownMap<'_> {
    /// Reads and renders the map.
    pub(crate) async fn read(
        self,
        app: &App,
        maps: &SeatMaps,
        v: &View,
    ) -> Result<HttpResponse, PageError> {
        let position = read_position(app, maps, self.performance.schedule.id).await?;
        self.page(app, maps, v, position).await
    }

    /// Renders the map as it is from `position` on.
    async fn page(
        self,
        app: &App,
        maps: &SeatMaps,
        v: &View,
        position: Option<MapCursor>,
    ) -> Result<HttpResponse, PageError> {
        let Self { performance, admitted, part, sent } = self;
        let (schedule, program) = (&performance.schedule, &performance.program);
        let refused = sent.as_ref().and_then(SentForm::refused);
        let refusal = refused.as_ref().and_then(Refused::refusal);
        let is_step_free = part.is_step_free;
        let open = OpenParts::read(app, schedule, admitted.stay.account_id).await?;
        let (map, types, places_min, exchange) = try_join!(
            read_map(app, maps, schedule.id, position, part, open, refusal),
            async { Ok(TypesShown::read(app, schedule).await?) },
            async { Ok(places_min(app, performance).await?) },
            async { Ok(open_exchange(app, admitted.stay.account_id, program).await?) },
        )?;
        let kinds = KindsShown::of(&map.drawing, is_step_free, schedule.keeps_places(app.now()));
        let zones = map.zones.iter().map(|zone| zone.id);
        let waiting = WaitingHere::count(app, schedule.id, zones).await;
        let status = refused.as_ref().map_or(StatusCode::OK, Refused::status);
        let page = SeatMapPage {
            v,
            program,
            schedule,
            stay_ends_at: admitted.stay.stay_ends_at,
            now: app.now(),
            refusal: refused.as_ref().map(|refused| refused.shown(v, &map, schedule)),
            exchange,
            map,
            waiting,
            kinds,
            types,
            places_min,
            places_max: app.config.seats_per_hold_max.get(),
            typed: sent.as_ref().map(|sent| sent.form.clone()).unwrap_or_default(),
            code: sent.and_then(|sent| sent.code),
        };
        Ok(v.html(status, &page))
    }
}
