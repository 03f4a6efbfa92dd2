//! Form that holds seats or places.

pub mod form;
pub mod refused;
pub mod types;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;
use uuid::Uuid;

use self::{
    form::{HoldForm, Parsed},
    refused::SentForm,
};
use super::{
    limiter::ReservationState,
    request::{HoldRequest, ShownPrice},
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::{Programs, ScheduleId, SeatKind, ZoneId},
    infra::{ids::new_id, locks::Waiting},
    points::Points,
    reservation::{
        codes::pages as code_pages,
        error::ReservationError,
        hold,
        lifecycle::pages::payment,
        model::{Choice, Hold},
        seat_map::pages::{ShownMap, entrance::Performance, reading::part_sent},
    },
    text::i18n::Phrase,
    web::{
        error::{HttpError, PageError},
        flash::with_message,
        form::{Body, FormRefusal},
        page::View,
    },
};

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
    if form.has_code() {
        code_pages::count_try(&app, &request, me.account_id)?;
    }
    let performance = Performance::find(&app, &programs, *id).await?;
    let map = async |refusal: FormRefusal| {
        let admitted = performance.admit(&app, &request, me.account_id).await?;
        let part = part_sent(&app, &state.maps, *id, &form).await?;
        let code = code_pages::find_shown(&app, &performance.schedule, &form).await;
        let sent = SentForm { form: &form, code, reason: Some(&refusal) };
        let shown =
            ShownMap { performance: &performance, admitted: &admitted, part, sent: Some(sent) };
        shown.read(&app, &state.maps, &me.view).await
    };
    let Parsed { choice, types, shown, code, is_needed, request_key } =
        match me.view.or_refusal(form.parse().map_err(PageError::from))? {
            Ok(parsed) => parsed,
            Err(refusal) => return map(refusal).await,
        };
    let mut hold_request = HoldRequest {
        account_id: me.account_id,
        program: performance.program.clone(),
        schedule: performance.schedule.clone(),
        choice,
        blocks: None,
        types,
        shown,
        code,
        is_needed,
        request_key,
        pass: None,
    };
    let entry = match performance.enter(&app, &state, &request, me.account_id).await {
        Ok(entry) => entry,
        // A request that was carried out while the account was admitted still gets its outcome.
        Err(refusal) => {
            return match hold::find_carried_out(&app, &hold_request).await? {
                Some(first) => Ok(held(&me.view, &first)),
                None => Err(refusal.into()),
            };
        }
    };
    hold_request.pass = entry.pass().cloned();
    let outcome = Box::pin(hold(&app, &state, &hold_request)).await.map_err(PageError::from);
    match me.view.or_refusal(outcome)? {
        Ok(hold) => Ok(entry.stamp(with_note(held(&me.view, &hold), &hold_request, &hold))),
        Err(refusal) => match refusal.find() {
            Some(waiting @ ReservationError::Waiting { .. }) => {
                Ok(wait_page(&me.view, &hold_request, waiting))
            }
            _ => map(refusal).await,
        },
    }
}

fn held(v: &View, hold: &Hold) -> HttpResponse {
    v.done(StatusCode::CREATED, hold, &payment::path_of(hold.reservation_id))
}

/// Adds a message to the answer if the best seats left have a restricted view.
fn with_note(answer: HttpResponse, request: &HoldRequest, hold: &Hold) -> HttpResponse {
    let is_best = matches!(request.choice, Choice::Best(_));
    let is_restricted = hold.items.iter().any(|item| item.kind == SeatKind::RestrictedView);
    match is_best && is_restricted {
        true => with_message(answer, "flash-restricted-view"),
        false => answer,
    }
}

#[derive(Template)]
#[template(path = "reservation/zone_waiting.html")]
struct ZoneWaitingPage<'a> {
    v: &'a View,
    request: &'a HoldRequest,
    zone_id: ZoneId,
    /// Shown total, or price of one place, if the request has one.
    total: Option<Points>,
    /// Shown price of one place, if the request does not show the total.
    unit_price: Option<Points>,
    waiting: u64,
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

/// Returns the page that retries the request automatically. The page keeps the request key, so that
/// a lost response does not lead to a second hold.
fn wait_page(v: &View, request: &HoldRequest, refusal: &ReservationError) -> HttpResponse {
    let (Choice::Places { zone_id, .. }, ReservationError::Waiting { waiting, retry_after_ms }) =
        (&request.choice, refusal)
    else {
        return HttpResponse::build(refusal.status()).finish();
    };
    let page = ZoneWaitingPage {
        v,
        request,
        zone_id: *zone_id,
        total: request.shown.and_then(ShownPrice::total),
        unit_price: unit_price(request),
        waiting: waiting.count,
        ahead: waiting.ahead,
        estimate: estimate(v, waiting),
        retry_after_ms: *retry_after_ms,
        request_key: request.request_key.unwrap_or_else(new_id),
    };
    let mut answer = v.html(refusal.status(), &page);
    let secs = header::HeaderValue::from(retry_after_ms.div_ceil(1_000));
    answer.headers_mut().insert(header::RETRY_AFTER, secs);
    answer
}

/// Returns the price of one place of a request that shows it, or the sum of the prices.
fn unit_price(request: &HoldRequest) -> Option<Points> {
    match request.shown? {
        ShownPrice::Sum(sum) => {
            sum.get().checked_div(request.choice.quantity()).and_then(Points::new)
        }
        shown => shown.unit_price(),
    }
}

fn estimate(v: &View, waiting: &Waiting) -> String {
    const MINUTE_SECS: u64 = 60;
    match waiting.estimate_secs() {
        None => v.t("queue-wait-unknown").to_string(),
        Some(secs) if secs < MINUTE_SECS => v.t("date-less-than-a-minute").to_string(),
        Some(secs) => {
            let minutes = v.t("date-minutes").word("minutes", secs.div_ceil(MINUTE_SECS));
            v.t("seat-waiting-about").word("duration", minutes).to_string()
        }
    }
}
