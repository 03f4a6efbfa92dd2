//! Home page and program pages.

use std::sync::Arc;

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    cache::{Listings, Programs},
    model::{DrawStep, Listing, Program, SaleState, ScheduleId, ScheduleListing},
};
use crate::{
    accounts::Visitor,
    app::App,
    points::Points,
    web::{
        error::{NotFound, PageError},
        local_path::with_next,
        page::View,
    },
};

#[derive(Template)]
#[template(path = "catalog/home.html")]
struct HomePage<'a> {
    v: &'a View,
    on_sale: Vec<&'a Listing>,
    coming: Vec<&'a Listing>,
    popular: &'a [Listing],
}

#[derive(Serialize)]
struct HomeDocument<'a> {
    on_sale: Vec<ListedProgram<'a>>,
    coming: Vec<ListedProgram<'a>>,
    popular: Vec<ListedProgram<'a>>,
}

#[derive(Serialize)]
struct ListedProgram<'a> {
    slug: &'a str,
    title: &'a str,
    starts_at: DateTime<Utc>,
    price_from: Option<Points>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opens_at: Option<DateTime<Utc>>,
}

impl<'a> ListedProgram<'a> {
    fn of(listing: &'a Listing, opens_at: Option<DateTime<Utc>>) -> Self {
        Self {
            slug: &listing.slug,
            title: &listing.title,
            starts_at: listing.starts_at,
            price_from: listing.price_from,
            opens_at,
        }
    }
}

/// `GET /`
pub(crate) async fn show_home(
    app: Data<App>,
    listings: Data<Listings>,
    visitor: Visitor,
) -> Result<HttpResponse, PageError> {
    let (programs, popular) = tokio::try_join!(listings.programs(&app), listings.popular(&app))?;
    let now = app.now();
    let (on_sale, mut coming): (Vec<_>, Vec<_>) =
        programs.iter().partition(|listing| listing.opens_at <= now);
    coming.reverse();
    let document = HomeDocument {
        on_sale: on_sale.iter().map(|listing| ListedProgram::of(listing, None)).collect(),
        coming: coming
            .iter()
            .map(|listing| ListedProgram::of(listing, Some(listing.opens_at)))
            .collect(),
        popular: popular.iter().map(|listing| ListedProgram::of(listing, None)).collect(),
    };
    let page = HomePage { v: &visitor.view, on_sale, coming, popular: &popular };
    Ok(visitor.view.show(&page, &document))
}

/// Longest interval between two reloads of a program that is not on sale yet, in seconds.
const REFRESH_SECS_MAX: i64 = 300;

#[derive(Template)]
#[template(path = "catalog/program.html")]
struct ProgramPage<'a> {
    v: &'a View,
    program: &'a Program,
    schedules: &'a [ScheduleListing],
    /// Name of the sale's state, or `sold-out` where nothing is available.
    state: &'static str,
    venue_name: &'a str,
    now: DateTime<Utc>,
}

impl ProgramPage<'_> {
    /// Whether a waiting list may be joined.
    fn has_waiting_lists(&self) -> bool {
        self.state == "on-sale" || self.state == "sold-out"
    }

    fn join_label(&self) -> &'static str {
        if self.v.account.is_some() { "program-join" } else { "program-log-in-to-join" }
    }

    fn enter_label(&self) -> &'static str {
        if self.v.account.is_some() { "program-draw-enter" } else { "program-draw-log-in" }
    }

    /// Whether the account that is signed in must confirm its address before it joins.
    fn asks_to_confirm(&self) -> bool {
        let account = self.v.account.as_ref();
        account.is_some_and(|account| !account.is_address_confirmed)
    }

    /// Returns the address of the page that mails the link, which leads back here.
    fn confirmation_href(&self) -> String {
        with_next("/account/address/confirmation", &format!("/programs/{}", self.program.slug))
    }

    fn join_note(&self) -> &'static str {
        match (self.program.queue_capacity, self.schedules) {
            (Some(_), _) => "program-join-note",
            (None, [_]) => "program-no-queue-note",
            (None, _) => "program-no-queue-dates-note",
        }
    }

    /// Returns the seconds until the page reloads without JavaScript: at the opening, and now and
    /// then before it.
    fn refresh_secs(&self) -> i64 {
        ((self.program.on_sale_at - self.now).num_seconds() + 1).clamp(1, REFRESH_SECS_MAX)
    }
}

#[derive(Serialize)]
struct ProgramDocument<'a> {
    slug: &'a str,
    title: &'a str,
    needs_confirmed_address: bool,
    sale: SaleDocument,
    schedules: Vec<ScheduleDocument>,
}

#[derive(Serialize)]
struct SaleDocument {
    state: &'static str,
    /// Step of the draw that it opens with; null: first come, first served.
    draw: Option<DrawStep>,
    opens_at: DateTime<Utc>,
    closes_at: DateTime<Utc>,
}

#[derive(Serialize)]
struct ScheduleDocument {
    id: ScheduleId,
    starts_at: DateTime<Utc>,
    free: i64,
    price_from: Option<Points>,
}

/// `GET /programs/{slug}`
pub(crate) async fn show_program(
    app: Data<App>,
    programs: Data<Programs>,
    listings: Data<Listings>,
    slug: Path<String>,
    visitor: Visitor,
) -> Result<HttpResponse, PageError> {
    let program: Arc<Program> = programs.find(&app, &slug).await?.ok_or(NotFound)?;
    let schedules = listings.schedules(&app, program.id).await?;
    let now = app.now();
    let sale = program.sale_state(now);
    let is_sold_out = schedules.iter().all(|schedule| schedule.free == 0);
    let page = ProgramPage {
        v: &visitor.view,
        program: &program,
        schedules: &schedules,
        state: if sale == SaleState::Open && is_sold_out { "sold-out" } else { sale.into() },
        venue_name: schedules.first().map_or("", |schedule| &schedule.venue_name),
        now,
    };
    let document = ProgramDocument {
        slug: &program.slug,
        title: &program.title,
        needs_confirmed_address: program.join_confirmed_address,
        sale: SaleDocument {
            state: sale.into(),
            draw: program.draw,
            opens_at: program.on_sale_at,
            closes_at: program.off_sale_at,
        },
        schedules: schedules
            .iter()
            .map(|schedule| ScheduleDocument {
                id: schedule.id,
                starts_at: schedule.starts_at,
                free: schedule.free,
                price_from: schedule.price_from,
            })
            .collect(),
    };
    Ok(visitor.view.show(&page, &document))
}
