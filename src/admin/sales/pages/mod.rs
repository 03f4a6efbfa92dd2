//! Sales by performance and section, as a page, as JSON and as a CSV file.

mod chart;

use std::collections::HashMap;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use self::chart::SalesCharts;
use super::store::{self as store, SoldDay, SoldSection, SoldType};
use crate::{
    accounts::AdminAccount,
    admin::{chart::Chart, inventory_bar::InventoryBar, programs::pages::edition_of},
    app::{App, StaleRead},
    catalog::{Program, ProgramId, ScheduleId},
    points::Points,
    reservation::ReservationNumber,
    text::times::{self, rfc3339_in, zone},
    web::{
        error::PageError,
        files::download::{CHUNK_ROWS, csv},
        page::View,
    },
};

/// Columns of the CSV file.
const COLUMNS: &[&str] = &[
    "reservation",
    "created_at",
    "status",
    "email",
    "starts_at",
    "places",
    "total",
    "price_types",
    "discount",
    "code",
    "resold",
    "reservation_id",
    "given_back",
    "total_minor",
    "discount_minor",
    "currency",
];

/// Performance with its sections.
struct Evening {
    schedule_id: ScheduleId,
    starts_at: DateTime<Utc>,
    time_zone: String,
    sections: Vec<SoldSection>,
    /// Sales by price; empty without price types.
    types: Vec<SoldType>,
    /// Discounts of codes on sold places, in points.
    discounts: i64,
}

impl Evening {
    fn sum(&self, pick: fn(&SoldSection) -> i64) -> i64 {
        self.sections.iter().map(pick).sum()
    }

    fn sold(&self) -> i64 {
        self.sum(|section| section.sold)
    }

    /// Returns the points paid for sold places.
    fn revenue(&self) -> i64 {
        self.sum(|section| section.revenue) - self.discounts
    }
}

impl SoldSection {
    fn bar(&self) -> InventoryBar {
        InventoryBar::of(self.sold, self.held, self.free)
    }
}

/// Returns the sales of a performance by price; empty if all were at the ordinary prices.
fn types_of(types: &[SoldType], schedule_id: ScheduleId) -> Vec<SoldType> {
    let sold = types.iter().filter(|each| each.schedule_id == schedule_id).cloned();
    let sold: Vec<SoldType> = sold.collect();
    if sold.iter().any(|each| each.price_type.is_some()) { sold } else { Vec::new() }
}

impl SalesPage {
    fn day(&self, sold: &SoldDay) -> String {
        times::short_day(sold.day, self.v.locale)
    }
}

#[derive(Template)]
#[template(path = "admin/sales.html")]
struct SalesPage {
    v: View,
    edition: Program,
    charts: SalesCharts,
    evenings: Vec<Evening>,
}

/// Sales of a show.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SalesDocument {
    program: Program,
    sections: Vec<SoldSection>,
    price_types: Vec<SoldType>,
    /// Points that codes took off, by performance.
    discounts: HashMap<ScheduleId, i64>,
    /// Days of the last 30 with sales or refunds.
    days: Vec<SoldDay>,
}

/// `GET /admin/programs/{id}/sales`
pub async fn show_sales(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(&app, *id).await?;
    let (id, today) = (edition.id, app.now().with_timezone(&times::home()).date_naive());
    let read = |db| async move {
        let sections = store::list_sections(&db, id).await?;
        let types = store::list_types(&db, id).await?;
        let discounts = store::list_discounts(&db, id).await?;
        let days = store::list_days(&db, id, chart::first_day(today)).await?;
        Ok((sections, types, discounts, days))
    };
    let (sections, types, discounts, days) = app.read_stale(StaleRead::SalesFigures, read).await?;
    let discounts: HashMap<ScheduleId, i64> = discounts.into_iter().collect();
    if me.view.format.is_for_programs() {
        let (program, price_types) = (edition, types);
        let document = SalesDocument { program, sections, price_types, discounts, days };
        return Ok(me.view.json(StatusCode::OK, &document));
    }
    let mut evenings: Vec<Evening> = Vec::new();
    for section in sections {
        match evenings.last_mut() {
            Some(evening) if evening.schedule_id == section.schedule_id => {
                evening.sections.push(section);
            }
            _ => evenings.push(Evening {
                schedule_id: section.schedule_id,
                starts_at: section.starts_at,
                time_zone: section.time_zone.clone(),
                types: types_of(&types, section.schedule_id),
                discounts: discounts.get(&section.schedule_id).copied().unwrap_or_default(),
                sections: vec![section],
            }),
        }
    }
    let charts = SalesCharts::of(&me.view, &days, today);
    let page = SalesPage { v: me.view, edition, charts, evenings };
    Ok(page.v.html(StatusCode::OK, &page))
}

/// `GET /admin/programs/{id}/sales.csv`
pub async fn download_sales(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    let program = edition_of(&app, *id).await?;
    let id = program.id;
    let unit = me.view.prices;
    let currency = unit.money(0).map_or_else(String::new, |money| money.currency.to_string());
    csv(&program.details.slug, COLUMNS.iter().copied(), move |after| {
        let (app, currency) = (app.clone(), currency.clone());
        async move {
            let read =
                |db| async move { store::list_reservations(&db, id, after, CHUNK_ROWS).await };
            let sold = app.read_stale(StaleRead::Downloads, read).await?;
            // Empty where points are not sold for money.
            let minor = |points: Points| {
                unit.money(points).map_or_else(String::new, |money| money.minor.to_string())
            };
            let cells_of = |row: store::SoldReservation| {
                let clock = zone(&row.time_zone);
                let cells = vec![
                    // As people read it, and as the file of attendees names it.
                    ReservationNumber::from(row.id).to_string(),
                    rfc3339_in(row.created_at, clock),
                    row.status,
                    row.email,
                    rfc3339_in(row.starts_at, clock),
                    row.places.to_string(),
                    row.total.get().to_string(),
                    row.price_types,
                    row.discount.get().to_string(),
                    row.code.unwrap_or_default(),
                    row.resold.to_string(),
                    row.id.0.to_string(),
                    row.given_back.to_string(),
                    minor(row.total),
                    minor(row.discount),
                    currency.clone(),
                ];
                (row.id.0, cells)
            };
            Ok(sold.into_iter().map(cells_of).collect())
        }
    })
    .await
}
