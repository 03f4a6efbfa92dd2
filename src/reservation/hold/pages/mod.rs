//! Form that holds seats or places.

pub(crate) mod refused;

use std::collections::BTreeSet;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use self::refused::{Refused, Why};
use super::{
    limiter::ReservationState,
    order::{HoldRequest, ShownPrice},
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::{Programs, ScheduleId, ScheduleSeatId, ZoneId},
    infra::locks::Waiting,
    points::Points,
    reservation::{
        error::ReservationError,
        hold,
        model::{Choice, Hold, Wish},
        pages::estimate_secs,
        seat_map::pages::{entrance::Performance, map_page},
    },
    text::i18n::Phrase,
    web::{
        error::{HttpError, PageError},
        form::{Body, Field, Fields, Mistakes},
        page::View,
        request_key,
    },
};

/// Number of best seats preselected in the form.
const BEST_USUAL: u32 = 2;

/// Fields of a hold request, as sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct HoldForm {
    seat_ids: Fields,
    zone_id: Field,
    quantity: Field,
    best: Field,
    section: Field,
    price: Field,
    /// Shown price: the total, the price of one place, or the price version.
    total: Field,
    unit_price: Field,
    price_version: Field,
    request_key: Field,
}

impl HoldForm {
    fn parse(&self) -> Result<Parsed, Mistakes> {
        let mut mistakes = Mistakes::default();
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let choice = if !self.zone_id.is_empty() {
            self.places(&mut mistakes)
        } else if !self.best.is_empty() {
            self.best(&mut mistakes)
        } else {
            let seats = mistakes.note("seat_ids", "reservation-refusal-seats", self.seats());
            seats.map(Choice::Seats)
        };
        let shown = choice.as_ref().and_then(|choice| self.shown(&mut mistakes, choice));
        mistakes.or(choice).map(|choice| (choice, shown, key))
    }

    /// Returns the shown price; an exact price is preferred to the price version.
    fn shown(&self, mistakes: &mut Mistakes, choice: &Choice) -> Option<ShownPrice> {
        let is_places = matches!(choice, Choice::Places { .. });
        let mut points = |name, field: &Field| {
            let points = field.parse().and_then(Points::new);
            mistakes.note(name, "reservation-refusal-total", points)
        };
        if !self.total.is_empty() {
            points("total", &self.total).map(ShownPrice::Total)
        } else if is_places && !self.unit_price.is_empty() {
            let total = points("unit_price", &self.unit_price)?.checked_mul(choice.quantity());
            let total = mistakes.note("unit_price", "reservation-refusal-total", total);
            total.map(ShownPrice::Total)
        } else if !is_places && !self.price_version.is_empty() {
            let version = self.price_version.parse().filter(|version| *version >= 0);
            let version = mistakes.note("price_version", "reservation-refusal-total", version);
            version.map(ShownPrice::PriceVersion)
        } else {
            None
        }
    }

    /// Returns places of a zone; the number may be in `best` or in `quantity`.
    fn places(&self, mistakes: &mut Mistakes) -> Option<Choice> {
        let zone_id = self.zone_id.parse::<ZoneId>();
        let zone_id = mistakes.note("zone_id", "reservation-refusal-zone", zone_id);
        let (name, quantity) = match self.quantity.is_empty() && !self.best.is_empty() {
            true => ("best", &self.best),
            false => ("quantity", &self.quantity),
        };
        let quantity = quantity.parse().filter(|quantity| *quantity > 0);
        let quantity = mistakes.note(name, "reservation-refusal-quantity", quantity);
        zone_id.zip(quantity).map(|(zone_id, quantity)| Choice::Places { zone_id, quantity })
    }

    fn best(&self, mistakes: &mut Mistakes) -> Option<Choice> {
        let n_seats = self.best.parse().filter(|n_seats: &usize| *n_seats > 0);
        let n_seats = mistakes.note("best", "reservation-refusal-quantity", n_seats);
        let price = if self.price.is_empty() {
            None
        } else {
            let price = self.price.parse().and_then(Points::new);
            Some(mistakes.note("price", "reservation-refusal-price", price)?)
        };
        n_seats.map(|n_seats| Choice::Best(Wish { n_seats, section: self.section(), price }))
    }

    /// Returns the section; `None` if the field is empty.
    fn section(&self) -> Option<String> {
        Some(self.section.text().to_owned()).filter(|section| !section.is_empty())
    }

    /// Returns the seats, sorted; `None` when empty, malformed or containing duplicates.
    fn seats(&self) -> Option<Vec<ScheduleSeatId>> {
        let ids: Option<BTreeSet<ScheduleSeatId>> =
            self.seat_ids.0.iter().map(Field::parse).collect();
        ids.filter(|ids| !ids.is_empty() && ids.len() == self.seat_ids.0.len())
            .map(|ids| ids.into_iter().collect())
    }
}

/// Choice, shown price and request key of a valid form.
type Parsed = (Choice, Option<ShownPrice>, Option<Uuid>);

/// Values typed before, for the forms of the map.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "called from templates")]
impl HoldForm {
    /// Whether `n_seats` is the number of best seats in the form; `BEST_USUAL` if it has none.
    pub(crate) fn is_best(&self, n_seats: &u32) -> bool {
        self.best.parse().unwrap_or(BEST_USUAL) == *n_seats
    }

    pub(crate) fn is_section(&self, name: &str) -> bool {
        self.section.text() == name
    }

    pub(crate) fn is_price(&self, price: &Points) -> bool {
        self.price.parse() == Some(price.get())
    }

    /// Returns the fields of the same request with another total. The price per seat is left out,
    /// because the total limits the price.
    pub(crate) fn at_total(&self, total: Points) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        let named = [
            ("zone_id", &self.zone_id),
            ("quantity", &self.quantity),
            ("best", &self.best),
            ("section", &self.section),
        ];
        let seats = self.seat_ids.0.iter().map(|field| ("seat_ids", field));
        for (name, field) in named.into_iter().chain(seats).filter(|(_, field)| !field.is_empty()) {
            fields.push((name, field.text().to_owned()));
        }
        fields.push(("total", total.get().to_string()));
        fields
    }

    pub(crate) fn has_seat(&self, id: &ScheduleSeatId) -> bool {
        self.seat_ids.0.iter().any(|field| field.parse().as_ref() == Some(id))
    }

    pub(crate) fn has_places(&self, zone_id: &ZoneId, quantity: &u32) -> bool {
        self.zone_id.parse().as_ref() == Some(zone_id) && self.quantity.parse() == Some(*quantity)
    }
}

/// Handles `POST /schedules/{id}/reservations`.
pub async fn create_hold(
    app: Data<App>,
    state: Data<ReservationState>,
    programs: Data<Programs>,
    request: HttpRequest,
    id: Path<ScheduleId>,
    me: CurrentAccount,
    Body(form): Body<HoldForm>,
) -> Result<HttpResponse, PageError> {
    let performance = Performance::find(&app, &programs, *id).await?;
    let map = async |why| {
        let admitted = performance.admit(&app, &request, me.account_id).await?;
        let refused = Refused { why, typed: &form };
        // A small performance is shown whole, whatever section was requested.
        let section = match state.is_large(&app, *id).await? {
            true => form.section(),
            false => None,
        };
        map_page(&app, &state, &me.view, &performance, &admitted, section, Some(refused)).await
    };
    let (choice, shown, request_key) = match form.parse() {
        Ok(parsed) => parsed,
        Err(mistakes) if me.view.wants_form(&mistakes) => {
            return map(Why::Mistakes(&mistakes)).await;
        }
        Err(mistakes) => return Err(mistakes.into()),
    };
    let mut order = HoldRequest {
        account_id: me.account_id,
        program: performance.program.clone(),
        schedule: performance.schedule.clone(),
        choice,
        shown,
        request_key,
        pass: None,
    };
    let entry = match performance.enter(&app, &state, &request, me.account_id).await {
        Ok(entry) => entry,
        // A request that was carried out while the account was admitted still gets its outcome.
        Err(refusal) => {
            return match hold::find_carried_out(&app, &order).await? {
                Some(first) => Ok(held(&me.view, &first)),
                None => Err(refusal.into()),
            };
        }
    };
    order.pass = entry.pass().cloned();
    match hold(&app, &state, &order).await {
        Ok(hold) => Ok(entry.stamp(held(&me.view, &hold))),
        Err(refusal @ ReservationError::Waiting { .. }) if me.view.wants_form(&refusal) => {
            Ok(wait_page(&me.view, &order, &refusal))
        }
        Err(refusal) if me.view.wants_form(&refusal) => map(Why::Order(&refusal)).await,
        Err(failure) => Err(failure.into()),
    }
}

fn held(v: &View, hold: &Hold) -> HttpResponse {
    v.done(StatusCode::CREATED, hold, &format!("/reservations/{}", hold.reservation_id))
}

#[derive(Template)]
#[template(path = "reservation/zone_waiting.html")]
struct ZoneWaitingPage<'a> {
    v: &'a View,
    order: &'a HoldRequest,
    zone_id: ZoneId,
    /// Shown total, if the request has one.
    total: Option<Points>,
    ahead: u64,
    estimate: String,
    retry_after_ms: u64,
    request_key: Uuid,
}

impl ZoneWaitingPage<'_> {
    /// Returns the phrase with which the script shows a wait in minutes.
    fn minutes_pattern(&self) -> Phrase {
        let minutes = self.v.t("date-minutes").word("minutes", "{minutes}");
        self.v.t("seat-waiting-about").word("duration", minutes)
    }
}

/// Returns the page that retries the request by itself. The page keeps the request key, so that a
/// lost response does not lead to a second hold.
fn wait_page(v: &View, order: &HoldRequest, refusal: &ReservationError) -> HttpResponse {
    let (Choice::Places { zone_id, .. }, ReservationError::Waiting { waiting, retry_after_ms }) =
        (&order.choice, refusal)
    else {
        return HttpResponse::build(refusal.status()).finish();
    };
    let page = ZoneWaitingPage {
        v,
        order,
        zone_id: *zone_id,
        total: order.shown.and_then(ShownPrice::total),
        ahead: waiting.ahead,
        estimate: estimate(v, waiting),
        retry_after_ms: *retry_after_ms,
        request_key: order.request_key.unwrap_or_else(Uuid::now_v7),
    };
    let mut answer = v.html(refusal.status(), &page);
    let secs = header::HeaderValue::from(retry_after_ms.div_ceil(1_000));
    answer.headers_mut().insert(header::RETRY_AFTER, secs);
    answer
}

fn estimate(v: &View, waiting: &Waiting) -> String {
    const MINUTE_SECS: u64 = 60;
    match estimate_secs(waiting) {
        None => v.t("queue-wait-unknown").to_string(),
        Some(secs) if secs < MINUTE_SECS => v.t("date-less-than-a-minute").to_string(),
        Some(secs) => {
            let minutes = v.t("date-minutes").word("minutes", secs.div_ceil(MINUTE_SECS));
            v.t("seat-waiting-about").word("duration", minutes).to_string()
        }
    }
}
