//! Page of a waiting list: an explanation, the account's own wish, and the form that makes one.

mod form;

use std::{ops::RangeInclusive, sync::Arc};

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

use self::form::WishForm;
use super::{
    leaving,
    model::{OwnWish, PLACES_MAX, WishOffer, WishOrder, WishRequest, WishStatus},
    store::own::{self, Part, PublicList},
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::{Program, ProgramStatus, Programs, Schedule, ScheduleId, find_schedule},
    infra::ids::new_id,
    points::Points,
    reservation::{
        hold::limiter::ReservationState,
        model::{ReservationId, ReservationStatus, WishId},
    },
    text::i18n::Phrase,
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, FormRefusal},
        page::View,
    },
};

/// Period after which the page reloads while a wish waits, in seconds.
const REFRESH_SECS: u32 = 20;

#[derive(Template)]
#[template(path = "reservation/waiting_list.html")]
struct WaitingListPage<'a> {
    v: &'a View,
    program: &'a Program,
    schedule: &'a Schedule,
    list: PublicList,
    /// Maximum number of places of a wish.
    places_max: i32,
    parts: Vec<Part>,
    /// Newest wish of the account.
    wish: Option<OwnWish>,
    typed: WishForm,
    /// Whether offers are sent by mail.
    is_mailed: bool,
    refusal: FormRefusal,
    request_key: Uuid,
}

impl<'a> WaitingListPage<'a> {
    async fn read(
        app: &App,
        me: &'a CurrentAccount,
        program: &'a Program,
        schedule: &'a Schedule,
    ) -> Result<Self, PageError> {
        let list = own::find_public(&app.db, schedule.id).await?.ok_or(NotFound)?;
        let hold_max = i32::try_from(app.config.seats_per_hold_max.get()).unwrap_or(i32::MAX);
        Ok(Self {
            v: &me.view,
            program,
            schedule,
            places_max: PLACES_MAX.min(list.places_max).min(hold_max),
            list,
            parts: own::list_parts(&app.db, schedule.id).await?,
            wish: own::find_newest(&app.db, me.account_id, schedule.id).await?,
            typed: WishForm::default(),
            is_mailed: app.config.smtp_url.is_some(),
            refusal: FormRefusal::default(),
            request_key: new_id(),
        })
    }

    fn refresh_secs(&self) -> u32 {
        REFRESH_SECS
    }

    /// Returns the wish if it waits.
    fn waiting(&self) -> Option<&OwnWish> {
        self.wish.as_ref().filter(|wish| wish.status == WishStatus::Waiting)
    }

    /// Returns the offer, while it can be accepted.
    fn offer(&self) -> Option<WishOffer> {
        let offer = self.wish.as_ref().and_then(|wish| wish.offer);
        offer.filter(|offer| offer.status == ReservationStatus::Held)
    }

    /// Returns the outcome of an earlier wish, as a sentence.
    fn ended(&self) -> Option<Phrase> {
        let wish = self.wish.as_ref()?;
        let key = match (wish.status, wish.offer.map(|offer| offer.status)) {
            (WishStatus::Left, _) => "waiting-list-left",
            (WishStatus::Ended, _) => "waiting-list-over",
            (_, Some(ReservationStatus::Confirmed)) => "waiting-list-accepted",
            (_, Some(ReservationStatus::Expired)) => "waiting-list-expired",
            (_, Some(ReservationStatus::Cancelled | ReservationStatus::Refunded)) => {
                "waiting-list-declined"
            }
            _ => return None,
        };
        Some(self.v.t(key))
    }

    fn order_sizes(&self) -> RangeInclusive<i32> {
        1..=self.places_max
    }

    /// Whether the form has this number of places: the typed one, or the least number of an order.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from the template")]
    fn is_chosen(&self, places: &i32) -> bool {
        self.typed.places().unwrap_or(self.list.places_min) == *places
    }

    /// Whether the program has a least number of places of an order.
    fn has_least(&self) -> bool {
        self.list.places_min > 1
    }

    /// Returns the names of sections and zones, each once.
    fn sections(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
        names.dedup();
        names
    }

    fn prices(&self) -> Vec<Points> {
        let mut prices: Vec<Points> = self.parts.iter().map(|part| part.price).collect();
        prices.sort();
        prices.dedup();
        prices
    }

    fn order(&self, order: &WishOrder) -> String {
        order_in_words(self.v, order)
    }

    fn moment(&self, moment: &DateTime<Utc>) -> String {
        self.v.moment(moment, &self.schedule.time_zone)
    }

    fn document(&self) -> WaitingListDocument<'_> {
        WaitingListDocument {
            schedule_id: self.schedule.id,
            waiting: self.list.waiting,
            offer_mins: self.list.offer_mins,
            wish: self.wish.as_ref().map(|wish| WishDocument {
                wish_id: wish.id,
                number: wish.number,
                ahead: (wish.status == WishStatus::Waiting).then_some(wish.ahead),
                status: wish.status,
                order: &wish.order,
                created_at: wish.created_at,
                reservation_id: wish.offer.map(|offer| offer.reservation_id),
                expires_at: wish.offer.map(|offer| offer.expires_at),
            }),
        }
    }
}

/// Returns the order of a wish in words.
pub fn order_in_words(v: &View, order: &WishOrder) -> String {
    let mut words = vec![v.t("places-count").number("count", order.places).to_string()];
    words.extend(order.section.clone());
    let price = order
        .price_max
        .map(|price| v.t("waiting-list-up-to").word("amount", v.price(price.get())).to_string());
    words.extend(price);
    words.extend(order.is_together.then(|| v.t("waiting-list-together").to_string()));
    words.join(" · ")
}

/// JSON form of a waiting list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitingListDocument<'a> {
    schedule_id: ScheduleId,
    waiting: i32,
    offer_mins: i32,
    wish: Option<WishDocument<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WishDocument<'a> {
    wish_id: WishId,
    number: i64,
    /// Number of waiting wishes before it; `None` unless it waits.
    ahead: Option<i64>,
    status: WishStatus,
    #[serde(flatten)]
    order: &'a WishOrder,
    created_at: DateTime<Utc>,
    reservation_id: Option<ReservationId>,
    expires_at: Option<DateTime<Utc>>,
}

/// Returns the performance and its program, unless the program is a draft.
async fn find_performance(
    app: &App,
    programs: &Programs,
    id: ScheduleId,
) -> Result<(Arc<Program>, Schedule), PageError> {
    let schedule = find_schedule(app, id).await?.ok_or(NotFound)?;
    let program = programs.find(app, &schedule.program_id.to_string()).await?.ok_or(NotFound)?;
    if program.status == ProgramStatus::Draft {
        return Err(NotFound.into());
    }
    Ok((program, schedule))
}

/// Handles `GET /schedules/{id}/waiting-list`.
pub async fn show_waiting_list(
    app: Data<App>,
    programs: Data<Programs>,
    id: Path<ScheduleId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    let (program, schedule) = find_performance(&app, &programs, *id).await?;
    let page = WaitingListPage::read(&app, &me, &program, &schedule).await?;
    Ok(me.view.show(&page, &page.document()))
}

/// Handles `POST /schedules/{id}/waiting-list`.
pub async fn create_wish(
    app: Data<App>,
    programs: Data<Programs>,
    id: Path<ScheduleId>,
    state: Data<ReservationState>,
    me: CurrentAccount,
    Body(form): Body<WishForm>,
) -> Result<HttpResponse, PageError> {
    let (program, schedule) = find_performance(&app, &programs, *id).await?;
    let wished = async {
        let (order, key) = form.parse(me.account_id, *id)?;
        let request = WishRequest { account_id: me.account_id, order, key };
        Ok(state.wishes.join(*id, request).await?)
    }
    .await;
    match me.view.or_refusal(wished)? {
        Ok(wished) => {
            let location = format!("/schedules/{id}/waiting-list");
            let answer = me.view.done(StatusCode::CREATED, &wished, &location);
            let told = match app.config.smtp_url.is_some() {
                true => "flash-wished",
                false => "flash-wished-unmailed",
            };
            Ok(with_message(answer, told))
        }
        Err(refusal) => {
            let refusal = refusal.in_words(&me.view);
            let page = WaitingListPage::read(&app, &me, &program, &schedule).await?;
            let page = WaitingListPage { typed: form, refusal, ..page };
            Ok(me.view.html(page.refusal.status(), &page))
        }
    }
}

/// Wish that was withdrawn.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeftDocument {
    wish_id: WishId,
    status: WishStatus,
}

/// Handles `POST /wishes/{id}/cancellation`.
pub async fn cancel_wish(
    app: Data<App>,
    id: Path<WishId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    let schedule_id = leaving::leave(&app, me.account_id, *id).await?;
    let location = format!("/schedules/{schedule_id}/waiting-list");
    let document = LeftDocument { wish_id: *id, status: WishStatus::Left };
    let answer = me.view.done(StatusCode::OK, &document, &location);
    Ok(with_message(answer, "flash-wish-left"))
}
