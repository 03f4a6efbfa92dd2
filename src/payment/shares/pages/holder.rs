//! Page of the holder: the shares with their payers, and the places that are in no live share.

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

use super::places::{PlaceDocument, take_off};
use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::{Program, Programs, Schedule, find_schedule},
    infra::ids::new_id,
    payment::{
        pages::KeyForm,
        shares::{
            code::ShareCode,
            give_back,
            model::{ShareId, ShareStatus},
            pay,
            store::views::{self, ListedPlace, ListedShare},
        },
    },
    points::Points,
    reservation::{self, Reservation, ReservationError, ReservationId, ReservationStatus},
    wallet::{self, Means},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, FormRefusal},
        page::View,
    },
};

/// Period after which the page reloads, in seconds.
const REFRESH_SECS: u32 = 5;

/// Reservation with its places and shares.
pub(super) struct Shared {
    pub(super) reservation: Reservation,
    places: Vec<ListedPlace>,
    shares: Vec<ListedShare>,
}

impl Shared {
    pub(super) async fn read(
        app: &App,
        me: &CurrentAccount,
        id: ReservationId,
    ) -> Result<Self, PageError> {
        let found = reservation::find_owned(&app.db, me.account_id, id).await?;
        let reservation = found.ok_or(ReservationError::NotFound)?;
        let mut places = views::list_places(&app.db, id).await?;
        take_off(reservation.discount, &mut places);
        Ok(Self { reservation, places, shares: views::list(&app.db, id).await? })
    }

    /// Lists the places that are in no live share.
    pub(super) fn left(&self) -> Vec<&ListedPlace> {
        self.places.iter().filter(|place| place.share_id.is_none()).collect()
    }

    /// Returns the price of the places that are in no live share.
    fn rest(&self) -> Points {
        sum(self.left().into_iter().map(|place| place.price))
    }

    /// Returns the points that are withheld or paid.
    fn covered(&self) -> Points {
        let is_counted = |share: &&ListedShare| {
            matches!(share.status, ShareStatus::Withheld | ShareStatus::Paid)
        };
        sum(self.shares.iter().filter(is_counted).map(|share| share.amount))
    }

    pub(super) fn is_held(&self) -> bool {
        self.reservation.status == ReservationStatus::Held
    }
}

/// Adds points of one reservation; the sum is at most its total, so it does not overflow.
fn sum(points: impl Iterator<Item = Points>) -> Points {
    Points::sum(points).unwrap_or_default()
}

/// JSON form of a share.
#[derive(Debug, Serialize, JsonSchema)]
struct ShareDocument {
    share_id: ShareId,
    status: ShareStatus,
    amount: Points,
    #[serde(skip_serializing_if = "Option::is_none")]
    payer: Option<String>,
    /// Link for a friend, while the share is open; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    places: Vec<PlaceDocument>,
}

#[derive(Template)]
#[template(path = "payment/shares.html")]
struct SharesPage<'a> {
    v: &'a View,
    shared: &'a Shared,
    program: &'a Program,
    schedule: &'a Schedule,
    shares: Vec<ShareDocument>,
    means: Means,
    now: DateTime<Utc>,
    request_key: Uuid,
    refusal: Option<String>,
}

impl SharesPage<'_> {
    fn is_paid(&self) -> bool {
        self.shared.reservation.status == ReservationStatus::Confirmed
    }

    /// Returns the points that the holder lacks for the rest; `None` if there are enough.
    fn lacking(&self) -> Option<Points> {
        let lacking = self.means.lacking(self.shared.rest(), Points::ZERO);
        Some(lacking).filter(|lacking| *lacking > Points::ZERO)
    }

    fn moment(&self, moment: &DateTime<Utc>) -> String {
        self.v.moment(moment, &self.schedule.time_zone)
    }

    fn refresh_secs(&self) -> u32 {
        REFRESH_SECS
    }

    /// Returns the names of a share's places on one line.
    fn names(&self, share: &ShareDocument) -> String {
        let names: Vec<&str> = share.places.iter().map(|place| place.name.as_str()).collect();
        names.join(" / ")
    }

    /// Lists the open shares of friends.
    fn open(&self) -> impl Iterator<Item = &ShareDocument> {
        self.shares.iter().filter(|share| share.url.is_some())
    }
}

fn documents(app: &App, v: &View, shared: &Shared) -> Vec<ShareDocument> {
    let document = |share: &ListedShare| {
        let places = shared.places.iter().filter(|place| place.share_id == Some(share.id));
        let is_open = share.has_link && share.status == ShareStatus::Open;
        let url = is_open.then(|| {
            format!("{}{}", app.config.site_url(), ShareCode::of(&app.signing_key, share.id).path())
        });
        ShareDocument {
            share_id: share.id,
            status: share.status,
            amount: share.amount,
            payer: share.payer.clone(),
            url,
            places: places.map(|place| PlaceDocument::of(v, place)).collect(),
        }
    };
    shared.shares.iter().map(document).collect()
}

/// Shares of a reservation, as its holder sees them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SharesDocument {
    reservation_id: ReservationId,
    status: ReservationStatus,
    total: Points,
    /// Points that are paid or withheld.
    covered: Points,
    expires_at: DateTime<Utc>,
    shares: Vec<ShareDocument>,
    /// Places in no live share.
    left: Vec<PlaceDocument>,
    /// Price of these places.
    rest: Points,
}

/// Handles `GET /reservations/{id}/shares`.
pub async fn show_shares(
    app: Data<App>,
    programs: Data<Programs>,
    id: Path<ReservationId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    if !me.view.format.is_for_programs() {
        return shares_page(&app, &programs, &me, *id, FormRefusal::default()).await;
    }
    let shared = Shared::read(&app, &me, *id).await?;
    let left = shared.left();
    let left = left.iter().map(|place| PlaceDocument::of(&me.view, place)).collect();
    let document = SharesDocument {
        reservation_id: shared.reservation.id,
        status: shared.reservation.status,
        total: shared.reservation.total,
        covered: shared.covered(),
        expires_at: shared.reservation.expires_at,
        shares: documents(&app, &me.view, &shared),
        left,
        rest: shared.rest(),
    };
    Ok(me.view.json(StatusCode::OK, &document))
}

async fn shares_page(
    app: &App,
    programs: &Programs,
    me: &CurrentAccount,
    id: ReservationId,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let shared = Shared::read(app, me, id).await?;
    let schedule = find_schedule(app, shared.reservation.schedule_id).await?.ok_or(NotFound)?;
    let program_id = shared.reservation.program_id.to_string();
    let program = programs.find(app, &program_id).await?.ok_or(NotFound)?;
    let wallet = wallet::find_shown_wallet(&app.db, me.account_id).await?;
    let status = refusal.status();
    let page = SharesPage {
        v: &me.view,
        program: &program,
        schedule: &schedule,
        shares: documents(app, &me.view, &shared),
        shared: &shared,
        means: Means::of(wallet.as_ref()),
        now: app.now(),
        request_key: new_id(),
        refusal: refusal.text,
    };
    Ok(me.view.html(status, &page))
}

/// Share that was taken back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TakenBackDocument {
    share_id: ShareId,
    status: ShareStatus,
}

/// Handles `POST /reservations/{id}/shares/{share_id}/cancellation`.
pub async fn create_cancellation(
    app: Data<App>,
    programs: Data<Programs>,
    me: CurrentAccount,
    ids: Path<(ReservationId, ShareId)>,
) -> Result<HttpResponse, PageError> {
    let (id, share_id) = *ids;
    let taken_back = give_back::take_back(&app, me.account_id, id, share_id).await;
    match me.view.or_refusal(taken_back.map_err(PageError::from))? {
        Ok(()) => {
            let document = TakenBackDocument { share_id, status: ShareStatus::TakenBack };
            let location = format!("/reservations/{id}/shares");
            let answer = me.view.done(StatusCode::OK, &document, &location);
            Ok(with_message(answer, "flash-share-taken-back"))
        }
        Err(refusal) => shares_page(&app, &programs, &me, id, refusal).await,
    }
}

/// Handles `POST /reservations/{id}/rest/payment`.
pub async fn create_rest_payment(
    app: Data<App>,
    programs: Data<Programs>,
    me: CurrentAccount,
    id: Path<ReservationId>,
    Body(form): Body<KeyForm>,
) -> Result<HttpResponse, PageError> {
    let key = form.parse(me.account_id, "POST /reservations/{id}/rest/payment", &*id)?;
    let paid = pay::pay_rest(&app, me.account_id, *id, key.as_ref()).await;
    match me.view.or_refusal(paid.map_err(PageError::from))? {
        Ok(paid) => {
            let location = format!("/reservations/{id}/shares");
            let answer = me.view.done(StatusCode::CREATED, &paid, &location);
            Ok(with_message(answer, super::flash_of(&paid)))
        }
        Err(refusal) => shares_page(&app, &programs, &me, *id, refusal).await,
    }
}
