//! Pages of one reservation.

pub(crate) mod list;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::{Program, Programs, Schedule, ScheduleId, SeatKind, find_schedule},
    entry_queue,
    points::Points,
    reservation::{
        codes::model::CodeWord,
        lifecycle::{
            self,
            store::away::{self, TicketsAway},
        },
        model::{ItemOfKind, Reservation, ReservationId, ReservationStatus},
        number::ReservationNumber,
        seat_map::{self, listing::NamedItem, pages::names::full_seat_name},
    },
    wallet::{self, ChargeBox, Provider},
    web::{
        error::{HttpError, NotFound, PageError},
        flash::with_message,
        page::{View, json as json_answer},
    },
};

#[derive(Template)]
#[template(path = "reservation/show.html")]
struct ReservationPage<'a> {
    v: &'a View,
    reservation: &'a Reservation,
    program: &'a Program,
    schedule: &'a Schedule,
    items: &'a [NamedItem],
    usable: Points,
    /// Points that a refund returned to the owner, or that one of a reservation paid in shares would.
    refunded: Option<Points>,
    charge: ChargeBox,
    is_renewable: bool,
    away: TicketsAway,
    now: DateTime<Utc>,
    request_key: Uuid,
    cancellation_key: Uuid,
    refusal: Option<String>,
}

impl ReservationPage<'_> {
    fn number(&self) -> ReservationNumber {
        self.reservation.id.into()
    }

    fn is_held(&self) -> bool {
        self.reservation.status.is_held()
    }

    /// Returns the seconds after which a reload shows that the hold has ended.
    fn secs_left(&self) -> i64 {
        (self.reservation.expires_at - self.now).num_seconds().max(0) + 1
    }

    fn is_paid(&self) -> bool {
        self.reservation.status == ReservationStatus::Confirmed
    }

    fn is_expired(&self) -> bool {
        self.reservation.status == ReservationStatus::Expired
    }

    fn is_refunded(&self) -> bool {
        self.reservation.status == ReservationStatus::Refunded
    }

    /// Returns the points left after payment; `None` when the wallet has too few.
    fn remaining(&self) -> Option<Points> {
        self.usable.checked_sub(self.reservation.total)
    }

    fn lacking(&self) -> Points {
        self.reservation.total.checked_sub(self.usable).unwrap_or_default()
    }

    /// Returns the points that were refunded, or that a refund within the deadline gives back.
    fn refund(&self) -> Points {
        self.refunded.or_else(|| self.reservation.refund()).unwrap_or_default()
    }

    /// Returns the number of places that others have bought since they were paid.
    fn n_sold_on(&self) -> i32 {
        self.items.iter().map(|item| item.returned).sum()
    }

    fn is_all_sold_on(&self) -> bool {
        self.items.iter().all(|item| item.returned == item.quantity)
    }

    fn is_refundable(&self) -> bool {
        self.now < self.reservation.refund_until
    }

    fn item_name(&self, item: &NamedItem) -> String {
        match (&item.section, &item.row_label, item.number, &item.zone_name) {
            (Some(section), Some(row), Some(number), _) => {
                full_seat_name(self.v, (section, row, number), item.kind.unwrap_or_default())
            }
            (.., zone) => {
                let zone = zone.as_deref().unwrap_or_default();
                let places = self.v.t("places-count").number("count", item.quantity);
                format!("{} · {places}", self.v.t("reservation-standing").word("zone", zone))
            }
        }
    }

    fn has_restricted_view(&self) -> bool {
        self.items.iter().any(|item| item.kind == Some(SeatKind::RestrictedView))
    }

    fn moment(&self, moment: &DateTime<Utc>) -> String {
        self.v.moment(moment, &self.schedule.time_zone)
    }

    fn settled(&self) -> String {
        self.reservation.settled_at.as_ref().map(|at| self.moment(at)).unwrap_or_default()
    }
}

impl ReservationStatus {
    fn is_held(self) -> bool {
        self == Self::Held
    }

    /// Returns the CSS class of its badge.
    fn badge(self) -> &'static str {
        match self {
            Self::Held => "badge--time",
            Self::Confirmed => "badge--good",
            Self::Cancelled | Self::Expired | Self::Refunded => "badge--off",
        }
    }
}

/// JSON form of a reservation.
#[derive(Serialize)]
struct ReservationDocument {
    reservation_id: ReservationId,
    schedule_id: ScheduleId,
    status: ReservationStatus,
    total: Points,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<CodeWord>,
    discount: Points,
    expires_at: DateTime<Utc>,
    refund_until: DateTime<Utc>,
    refund_percent: i32,
    created_at: DateTime<Utc>,
    items: Vec<ItemOfKind>,
}

impl ReservationDocument {
    fn of(reservation: &Reservation, items: &[NamedItem]) -> Self {
        Self {
            reservation_id: reservation.id,
            schedule_id: reservation.schedule_id,
            status: reservation.status,
            total: reservation.total,
            code: reservation.code.clone(),
            discount: reservation.discount,
            expires_at: reservation.expires_at,
            refund_until: reservation.refund_until,
            refund_percent: reservation.refund_percent,
            created_at: reservation.created_at,
            items: items.iter().map(NamedItem::item).collect(),
        }
    }
}

/// Handles `GET /reservations/{id}`.
pub(crate) async fn show_reservation(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    id: Path<ReservationId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    if !me.view.format.is_for_programs() {
        return reservation_page(&app, &programs, &provider, &me, *id, None).await;
    }
    let reservation = lifecycle::find_owned(&app.db, me.account_id, *id).await?.ok_or(NotFound)?;
    let items = seat_map::store::list_items(&app.db, *id).await?;
    Ok(json_answer(StatusCode::OK, &ReservationDocument::of(&reservation, &items)))
}

/// Renders the page of one reservation. A `refusal` is shown on the page and sets its status.
pub(crate) async fn reservation_page(
    app: &App,
    programs: &Programs,
    provider: &Provider,
    me: &CurrentAccount,
    id: ReservationId,
    refusal: Option<&dyn HttpError>,
) -> Result<HttpResponse, PageError> {
    let reservation = lifecycle::find_owned(&app.db, me.account_id, id).await?.ok_or(NotFound)?;
    let items = seat_map::store::list_items(&app.db, id).await?;
    let schedule = find_schedule(app, reservation.schedule_id).await?.ok_or(NotFound)?;
    let program = programs.find(app, &reservation.program_id.to_string()).await?.ok_or(NotFound)?;
    let wallet = wallet::find_shown_wallet(&app.db, me.account_id).await?;
    let usable = wallet.map(|wallet| wallet.usable()).unwrap_or_default();
    let is_renewable = reservation.status == ReservationStatus::Held
        && reservation.wish_id.is_none()
        && reservation.renewed_at.is_none()
        && !entry_queue::is_anybody_waiting(&app.db, reservation.program_id).await?;
    let refunded = match reservation.status {
        ReservationStatus::Refunded => Some(away::refunded_to_owner(&app.db, id).await?),
        ReservationStatus::Confirmed
            if reservation.is_shared || items.iter().any(|item| item.returned > 0) =>
        {
            Some(away::refund_to_owner(&app.db, id).await?)
        }
        _ => None,
    };
    let tickets_away = match reservation.status {
        ReservationStatus::Confirmed => away::tickets_away_of(&app.db, id).await?,
        _ => TicketsAway::default(),
    };
    let lacking = reservation.total.checked_sub(usable).unwrap_or_default();
    let page = ReservationPage {
        v: &me.view,
        charge: ChargeBox::new(provider).missing(lacking, format!("/reservations/{id}"), id.0),
        reservation: &reservation,
        program: &program,
        schedule: &schedule,
        items: &items,
        usable,
        refunded,
        is_renewable,
        away: tickets_away,
        now: app.now(),
        request_key: Uuid::now_v7(),
        cancellation_key: Uuid::now_v7(),
        refusal: refusal.map(|error| me.view.refusal(error)),
    };
    let status = refusal.map_or(StatusCode::OK, HttpError::status);
    Ok(me.view.html(status, &page))
}

/// Handles `POST /reservations/{id}/renewal`.
pub(crate) async fn update_renewal(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    id: Path<ReservationId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    match lifecycle::renew(&app, me.account_id, *id).await {
        Ok(expires_at) => {
            let location = format!("/reservations/{id}");
            let document = json!({ "expires_at": expires_at });
            let answer = me.view.done(StatusCode::OK, &document, &location);
            Ok(with_message(answer, "flash-renewed"))
        }
        Err(refusal) if me.view.wants_form(&refusal) => {
            reservation_page(&app, &programs, &provider, &me, *id, Some(&refusal)).await
        }
        Err(failure) => Err(failure.into()),
    }
}
