//! The seat map of a performance, its zones, and the forms that hold them.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    door::{Admitted, Performance},
    drawing::{Drawing, SeatView},
};
use crate::{
    accounts::CachedAccount,
    app::App,
    catalog::{Program, Programs, Schedule, ScheduleId},
    reservation::{
        alternatives::Alternative,
        error::ReservationError,
        listing::{SectionListing, ZoneState},
        seat_map::MapSeat,
        store,
    },
    web::{
        error::{Fault, PageError},
        i18n::Phrase,
        page::View,
    },
};

/// Seats drawn at once. A larger house is shown one section at a time.
const SEATS_DRAWN_MAX: i64 = 1_500;

/// Which part of the house to show.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct MapQuery {
    section: Option<String>,
}

#[derive(Template)]
#[template(path = "reservation/map.html")]
struct SeatMapPage<'a> {
    v: &'a View,
    program: &'a Program,
    schedule: &'a Schedule,
    stay_ends_at: DateTime<Utc>,
    now: DateTime<Utc>,
    map: RoomMap,
    places_max: u32,
    refusal: Option<Refusal<'a>>,
}

/// Why the order that led here was refused.
struct Refusal<'a> {
    title: Phrase,
    text: String,
    /// Names of the seats that are gone.
    gone: Vec<String>,
    alternatives: &'a [Alternative],
    is_about_seats: bool,
}

/// What of a performance is shown.
struct RoomMap {
    /// From where its changes are asked.
    cursor: i64,
    drawing: Drawing,
    zones: Vec<ZoneState>,
    sections: Vec<SectionListing>,
    /// The one section shown, in a house that is shown one at a time.
    section: Option<String>,
    is_in_sections: bool,
}

impl SeatMapPage<'_> {
    fn title(&self) -> &'static str {
        if self.has_seats() { "seat-title" } else { "seat-title-zones" }
    }

    /// One for each form: a key stands for one order.
    #[expect(clippy::unused_self, reason = "called from the template")]
    fn new_key(&self) -> Uuid {
        Uuid::now_v7()
    }

    fn minutes(&self) -> i32 {
        self.program.hold_ttl_secs / 60
    }

    fn has_seats(&self) -> bool {
        !self.map.sections.is_empty()
    }

    fn seat_name(&self, seat: &MapSeat) -> Phrase {
        seat_name(self.v, seat, self.map.sections.len() > 1)
    }

    fn seat_label(&self, view: &SeatView) -> Phrase {
        self.v
            .t("seat-label")
            .word("name", self.seat_name(&view.seat))
            .word("amount", self.v.points(view.seat.price.get()))
            .word("status", self.v.text(format!("seat-status-{}", view.word())))
    }

    fn names(&self, seats: &[MapSeat]) -> String {
        let names: Vec<String> =
            seats.iter().map(|seat| self.seat_name(seat).to_string()).collect();
        names.join(" · ")
    }

    fn section_free(&self, name: &str, free: impl std::fmt::Display) -> Phrase {
        self.v.t("seat-section-free").word("section", name).word("free", self.v.number(free))
    }

    fn section_href(&self, name: &str) -> String {
        let query = serde_html_form::to_string([("section", name)]).unwrap_or_default();
        format!("/schedules/{}?{query}", self.schedule.id)
    }

    fn is_shown(&self, name: &str) -> bool {
        self.map.section.as_deref() == Some(name)
    }

    fn choices(&self, zone: &ZoneState) -> std::ops::RangeInclusive<i32> {
        1..=zone.remaining.min(i32::try_from(self.places_max).unwrap_or(i32::MAX))
    }

    /// The attributes by which the script names seats.
    fn label_pattern(&self) -> Phrase {
        let pattern = self.v.t("seat-label").word("name", "{name}");
        pattern.word("amount", "{amount}").word("status", "{status}")
    }

    fn amount_pattern(&self) -> Phrase {
        self.v.t("points-amount").number("count", 2).word("points", "{points}")
    }
}

fn seat_name(v: &View, seat: &MapSeat, with_section: bool) -> Phrase {
    let name = if with_section { "seat-name-full" } else { "seat-name" };
    v.t(name)
        .word("section", &seat.section)
        .word("row", &seat.row_label)
        .word("number", seat.number)
}

#[derive(Serialize)]
struct MapDocument<'a> {
    cursor: String,
    seats: &'a [MapSeat],
    zones: &'a [ZoneState],
}

/// `GET /schedules/{id}`
pub async fn show_seat_map(
    app: Data<App>,
    programs: Data<Programs>,
    request: HttpRequest,
    id: Path<ScheduleId>,
    query: Query<MapQuery>,
    me: CachedAccount,
) -> Result<HttpResponse, PageError> {
    let performance = Performance::find(&app, &programs, *id).await?;
    let admitted = performance.admit(&app, &request, me.account_id).await?;
    let answer = if me.view.format.is_for_programs() {
        let cursor = store::cursor(&app.db).await?;
        let seats = store::list_seats(&app.db, *id, query.section.as_deref()).await?;
        let zones = store::list_zones(&app.db, *id).await?;
        let document = MapDocument { cursor: cursor.to_string(), seats: &seats, zones: &zones };
        crate::web::page::json(StatusCode::OK, &document)
    } else {
        let section = query.into_inner().section;
        map_page(&app, &me.view, &performance, &admitted, section, None).await?
    };
    Ok(admitted.stamp(answer))
}

/// The map, or why an order from it was refused and what could be had instead.
pub(super) async fn map_page(
    app: &App,
    v: &View,
    performance: &Performance,
    admitted: &Admitted,
    section: Option<String>,
    refusal: Option<&ReservationError>,
) -> Result<HttpResponse, PageError> {
    let (schedule, program) = (&performance.schedule, &performance.program);
    let map = read_map(app, schedule.id, section, refusal).await?;
    let (status, refusal) = match refusal {
        Some(fault) => (fault.status(), Some(refusal_of(v, &map, fault))),
        None => (StatusCode::OK, None),
    };
    let page = SeatMapPage {
        v,
        program,
        schedule,
        stay_ends_at: admitted.stay.stay_ends_at,
        now: app.now(),
        map,
        places_max: app.config.seats_per_hold_max.get(),
        refusal,
    };
    Ok(v.html(status, &page))
}

async fn read_map(
    app: &App,
    id: ScheduleId,
    section: Option<String>,
    refusal: Option<&ReservationError>,
) -> Result<RoomMap, PageError> {
    // Before the seats: what changes meanwhile is told once more, not never.
    let cursor = store::cursor(&app.db).await?;
    let sections = store::list_sections(&app.db, id).await?;
    let is_in_sections =
        sections.iter().map(|section| section.n_seats).sum::<i64>() > SEATS_DRAWN_MAX;
    let mut section = section.filter(|wanted| sections.iter().any(|each| each.name == *wanted));
    let seats = match (refusal, &section) {
        // Where the seats that are gone stood.
        (Some(ReservationError::SeatUnavailable { seat_ids, .. }), None) if is_in_sections => {
            let seats = store::list_seats_around(&app.db, id, seat_ids).await?;
            section = seats.first().map(|seat| seat.section.clone());
            seats
        }
        (_, None) if is_in_sections => Vec::new(),
        (_, shown) => store::list_seats(&app.db, id, shown.as_deref()).await?,
    };
    let zones = store::list_zones(&app.db, id).await?;
    Ok(RoomMap { cursor, drawing: Drawing::of(seats), zones, sections, section, is_in_sections })
}

fn refusal_of<'a>(v: &View, map: &RoomMap, fault: &'a ReservationError) -> Refusal<'a> {
    let (gone, alternatives) = match fault {
        ReservationError::SeatUnavailable { seat_ids, alternatives } => {
            (seat_ids.as_slice(), alternatives.as_slice())
        }
        _ => (Default::default(), Default::default()),
    };
    let seats = map.drawing.seats().filter(|seat| gone.contains(&seat.id));
    let with_section = map.sections.len() > 1;
    Refusal {
        title: match gone.len() {
            0 => v.text(format!("error-{}-title", fault.code())),
            n_gone => v.t("seat-taken-title").number("count", n_gone),
        },
        text: v.refusal(fault),
        gone: seats.map(|seat| seat_name(v, seat, with_section).to_string()).collect(),
        alternatives,
        is_about_seats: !gone.is_empty(),
    }
}
