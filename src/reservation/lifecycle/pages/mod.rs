//! Pages of one reservation.

mod exchanged;
pub mod list;
pub mod payment;
pub mod refund_table;
mod shown;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use self::{exchanged::read_exchange, shown::ShownReservation};
use crate::{
    accounts::{AccountId, CurrentAccount},
    app::App,
    catalog::{Programs, SaleState, ScheduleId, ToldNote},
    infra::ids::new_id,
    points::Points,
    reservation::{
        codes::model::CodeWord,
        lifecycle::{
            self,
            store::{
                away::{self, PaidPart, TicketsAway},
                exchanges::exchange_until,
            },
        },
        model::{
            ItemOfKind, RefundShare, RefundSteps, Reservation, ReservationId, ReservationStatus,
        },
        seat_map::{self, listing::NamedItem},
    },
    text::translated::Translated,
    wallet::{
        Provider,
        charges::payouts::{self, model::ShownPayout, pages::form::SHOWN_MAX, plan::PlannedPart},
    },
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::FormRefusal,
        page::View,
    },
};

#[derive(Template)]
#[template(path = "reservation/show.html")]
struct ReservationPage<'a> {
    v: &'a View,
    reservation: &'a Reservation,
    shown: &'a ShownReservation,
    /// Points that the owner got back, or would get back if the reservation was paid in shares or
    /// places of it were resold; `None` otherwise.
    refunded: Option<Points>,
    away: TicketsAway,
    /// Until when its tickets may be exchanged for other places; `None` where staff alone exchange them.
    exchange_until: Option<DateTime<Utc>>,
    /// What a refund could send to the owner's cards.
    to_card: Vec<PlannedPart>,
    /// Money of the refund on its way to the owner's cards.
    payouts: Vec<ShownPayout>,
    now: DateTime<Utc>,
    cancellation_key: Uuid,
    refusal: Option<String>,
}

impl ReservationPage<'_> {
    fn is_paid(&self) -> bool {
        self.reservation.status == ReservationStatus::Confirmed
    }

    fn is_expired(&self) -> bool {
        self.reservation.status == ReservationStatus::Expired
    }

    fn is_refunded(&self) -> bool {
        self.reservation.status == ReservationStatus::Refunded
    }

    /// Returns the points that were refunded, or that a refund within the deadline returns.
    fn refund(&self) -> Points {
        self.refunded.or_else(|| self.reservation.refund(self.now)).unwrap_or_default()
    }

    /// Returns the points of a refund to the cards that stay in the wallet.
    fn stays(&self) -> i64 {
        self.refund().get() - self.to_card.iter().map(|part| part.points).sum::<i64>()
    }

    /// Returns the number of places that have left the order.
    fn n_sold_on(&self) -> i32 {
        self.shown.items.iter().map(|item| item.returned).sum()
    }

    fn is_all_sold_on(&self) -> bool {
        self.shown.items.iter().all(|item| item.returned == item.quantity)
    }

    /// Whether places of the same performance can still be chosen.
    fn can_choose_again(&self) -> bool {
        let is_open = self.shown.program.sale_state(self.now) == SaleState::Open;
        is_open && !self.shown.schedule.is_cancelled && self.now < self.shown.schedule.starts_at
    }

    /// Returns until when tickets of it may be exchanged, for people; `None` where they may not.
    fn exchange_until(&self) -> Option<String> {
        let until = self.exchange_until.filter(|until| self.now < *until)?;
        let is_given =
            self.shown.schedule.is_cancelled || self.is_all_sold_on() || self.away.own == 0;
        (!is_given).then(|| self.shown.moment(self.v, &until))
    }

    fn is_refundable(&self) -> bool {
        self.reservation.is_refundable(self.now)
    }

    fn settled(&self) -> String {
        let at = self.reservation.settled_at.as_ref();
        at.map(|at| self.shown.moment(self.v, at)).unwrap_or_default()
    }
}

impl ReservationStatus {
    fn is_held(self) -> bool {
        self == Self::Held
    }

    /// Whether its places belong to the owner, paid or not.
    fn is_live(self) -> bool {
        matches!(self, Self::Held | Self::Confirmed)
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReservationDocument {
    reservation_id: ReservationId,
    schedule_id: ScheduleId,
    status: ReservationStatus,
    total: Points,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<CodeWord>,
    discount: Points,
    expires_at: DateTime<Utc>,
    /// Deadline of the step of the refund terms that holds now, or else of the last one.
    refund_until: DateTime<Utc>,
    /// Percentage that comes back until then, less the fee of that step.
    refund_percent: i32,
    /// All steps, from early to late; without any, nothing comes back.
    refund_steps: RefundSteps,
    /// Start that was agreed, where the performance has moved since.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_starts_at: Option<DateTime<Utc>>,
    /// Words of the office about its last move, in the first language that they are in.
    #[serde(skip_serializing_if = "Option::is_none")]
    move_words: Option<String>,
    /// The same words in each language, by tag; `und`: not said in which.
    #[serde(skip_serializing_if = "Option::is_none")]
    move_texts: Option<Translated<String>>,
    /// Until when everything is refunded because of that, whatever was agreed.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_refund_until: Option<DateTime<Utc>>,
    /// What else was agreed and is called otherwise now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<ToldNote>,
    created_at: DateTime<Utc>,
    items: Vec<ItemOfKind>,
}

impl ReservationDocument {
    fn of(reservation: &Reservation, items: &[NamedItem], now: DateTime<Utc>) -> Self {
        let (refund_until, refund_percent) =
            reservation.refund_steps.line(now, reservation.created_at);
        let move_texts = reservation.move_texts.clone().map(|texts| texts.0);
        Self {
            reservation_id: reservation.id,
            schedule_id: reservation.schedule_id,
            status: reservation.status,
            total: reservation.total,
            code: reservation.code.clone(),
            discount: reservation.discount,
            expires_at: reservation.expires_at,
            refund_until,
            refund_percent,
            refund_steps: reservation.refund_steps.clone(),
            previous_starts_at: reservation.moved_from,
            move_words: move_texts.as_ref().and_then(|texts| texts.first().cloned()),
            move_texts,
            full_refund_until: reservation.full_refund_until,
            changes: reservation.changes.0.clone(),
            created_at: reservation.created_at,
            items: items.iter().map(NamedItem::item).collect(),
        }
    }
}

/// Handles `GET /reservations/{id}`.
pub async fn show_reservation(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    id: Path<ReservationId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    if !me.view.format.is_for_programs() {
        return reservation_page(&app, &programs, &provider, &me, *id, FormRefusal::default())
            .await;
    }
    let found = lifecycle::find_owned(&app.db, me.account_id, *id).await?;
    let mut reservation = found.ok_or(NotFound)?;
    read_exchange(&app, me.account_id, &mut reservation).await?;
    let items = seat_map::store::list_items(&app.db, *id).await?;
    Ok(me.view.json(StatusCode::OK, &ReservationDocument::of(&reservation, &items, app.now())))
}

/// Renders the page of one reservation: of a hold, its payment. A `refusal` is shown on the page and
/// sets its status.
pub async fn reservation_page(
    app: &App,
    programs: &Programs,
    provider: &Provider,
    me: &CurrentAccount,
    id: ReservationId,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let shown = ShownReservation::read(app, programs, me.account_id, id).await?;
    if shown.is_held() {
        return payment::payment_page(app, provider, me, &shown, refusal).await;
    }
    let (refunded, own) = refund_of(app, provider, &shown).await?;
    let tickets_away = match shown.reservation.status {
        ReservationStatus::Confirmed => away::tickets_away_of(&app.db, id).await?,
        _ => TicketsAway::default(),
    };
    let exchange_until = match shown.reservation.status {
        ReservationStatus::Confirmed => exchange_until(&app.db, id).await?,
        _ => None,
    };
    let (to_card, payouts) = money_of(app, me.account_id, &shown, &own).await?;
    let status = refusal.status();
    let page = ReservationPage {
        to_card,
        payouts,
        v: &me.view,
        reservation: &shown.reservation,
        shown: &shown,
        refunded,
        away: tickets_away,
        exchange_until,
        now: app.now(),
        cancellation_key: new_id(),
        // The heading of an expired hold already says what its refusal would say.
        refusal: refusal.text.filter(|_| status != StatusCode::GONE),
    };
    Ok(me.view.html(status, &page))
}

/// Returns the points that the owner got or gets back, where these are not the agreed share of the total, and the
/// owner's payments with what a refund now returns of each, where it may go to cards.
async fn refund_of(
    app: &App,
    provider: &Provider,
    shown: &ShownReservation,
) -> Result<(Option<Points>, Vec<(Uuid, Points)>), sqlx::Error> {
    let (reservation, now) = (&shown.reservation, app.now());
    match reservation.status {
        ReservationStatus::Refunded => {
            Ok((Some(away::refunded_to_owner(&app.db, reservation.id).await?), Vec::new()))
        }
        ReservationStatus::Confirmed => {
            let is_part = reservation.is_shared || shown.items.iter().any(|item| item.returned > 0);
            let has_cards = provider.takes_money() && reservation.is_refundable(now);
            if !is_part && !has_cards {
                return Ok((None, Vec::new()));
            }
            let paid = away::list_paid(&app.db, reservation.id).await?;
            let own = own_refunds(reservation.refund_share(now), &paid);
            let refunded = Points::sum(own.iter().map(|(_, refund)| *refund));
            let refunded = refunded.filter(|_| is_part);
            Ok((refunded, if has_cards { own } else { Vec::new() }))
        }
        _ => Ok((None, Vec::new())),
    }
}

/// Returns the payments of the owner among `paid`, each with the points that a refund of `share` returns of it.
fn own_refunds(share: Option<RefundShare>, paid: &[PaidPart]) -> Vec<(Uuid, Points)> {
    let total = Points::sum(paid.iter().flat_map(|part| [part.amount, part.to_house]));
    let Some((share, total)) = share.zip(total) else { return Vec::new() };
    let own = paid.iter().filter(|part| part.is_own);
    own.filter_map(|part| Some((part.id, share.of(part.amount, total)?))).collect()
}

/// Returns what a refund of the payments `own` would send to the owner's cards, and the money of a refunded
/// reservation that is on its way to them.
async fn money_of(
    app: &App,
    account_id: AccountId,
    shown: &ShownReservation,
    own: &[(Uuid, Points)],
) -> Result<(Vec<PlannedPart>, Vec<ShownPayout>), sqlx::Error> {
    let reservation = &shown.reservation;
    match reservation.status {
        ReservationStatus::Confirmed if !own.is_empty() => {
            Ok((payouts::preview_of_refund(&app.db, account_id, own).await?, Vec::new()))
        }
        ReservationStatus::Refunded => {
            let of = Some(reservation.id.0);
            Ok((Vec::new(), payouts::store::list_shown(&app.db, account_id, of, SHOWN_MAX).await?))
        }
        _ => Ok((Vec::new(), Vec::new())),
    }
}

/// End of a hold that was renewed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RenewalDocument {
    expires_at: DateTime<Utc>,
}

/// Handles `POST /reservations/{id}/renewal`.
pub async fn update_renewal(
    app: Data<App>,
    programs: Data<Programs>,
    provider: Data<Provider>,
    id: Path<ReservationId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    let renewed = lifecycle::renew(&app, me.account_id, *id).await;
    match me.view.or_refusal(renewed.map_err(PageError::from))? {
        Ok(expires_at) => {
            let location = payment::path_of(*id);
            let document = RenewalDocument { expires_at };
            let answer = me.view.done(StatusCode::OK, &document, &location);
            Ok(with_message(answer, "flash-renewed"))
        }
        Err(refusal) => reservation_page(&app, &programs, &provider, &me, *id, refusal).await,
    }
}
