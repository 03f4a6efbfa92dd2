//! Page of an account's reservations.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::ScheduleId,
    infra::postgres::page::{After, PAGE_ROWS, Page},
    points::Points,
    reservation::{
        model::{ReservationId, ReservationStatus},
        seat_map::{self, listing::Listed},
        waiting_list::store::own::{WaitedFor, list_waited_for},
    },
    web::{error::PageError, page::View},
};

#[derive(Template)]
#[template(path = "reservation/index.html")]
struct ReservationListPage<'a> {
    v: &'a View,
    page: &'a Page<Listed>,
    /// Performances whose waiting lists the account is in.
    waited_for: &'a [WaitedFor],
}

/// Reservations of an account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListDocument {
    reservations: Vec<ListedDocument>,
    next: Option<Uuid>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedDocument {
    reservation_id: ReservationId,
    schedule_id: ScheduleId,
    status: ReservationStatus,
    total: Points,
    places: i64,
    expires_at: DateTime<Utc>,
    title: String,
    starts_at: DateTime<Utc>,
}

impl From<&Listed> for ListedDocument {
    fn from(listed: &Listed) -> Self {
        Self {
            reservation_id: listed.id,
            schedule_id: listed.schedule_id,
            status: listed.status,
            total: listed.total,
            places: listed.n_places,
            expires_at: listed.expires_at,
            title: listed.title.clone(),
            starts_at: listed.starts_at,
        }
    }
}

/// Handles `GET /reservations`.
pub async fn list_reservations(
    app: Data<App>,
    query: Query<After>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    let after = query.after.map(ReservationId);
    let rows = seat_map::store::list_owned(&app.db, me.account_id, after, PAGE_ROWS + 1).await?;
    let page = Page::cut(rows, |listed| listed.id.0);
    let document = ListDocument {
        reservations: page.rows.iter().map(ListedDocument::from).collect(),
        next: page.next,
    };
    let waited_for = list_waited_for(&app.db, me.account_id).await?;
    let page = ReservationListPage { v: &me.view, page: &page, waited_for: &waited_for };
    Ok(me.view.show(&page, &document))
}
