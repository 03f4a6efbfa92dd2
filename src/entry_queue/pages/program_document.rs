//! Page of a program as JSON, the same for every reader.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    catalog::{DrawStep, Program, SaleState, ScheduleId, ScheduleListing, popularity::PublicRank},
    points::Points,
};

/// Program with its upcoming performances.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramDocument<'a> {
    slug: &'a str,
    title: &'a str,
    needs_confirmed_address: bool,
    sale: SaleDocument,
    /// Ranks by bookings, of today and of the last seven days; null: nothing was booked.
    popularity: PublicRank,
    schedules: Vec<ScheduleDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SaleDocument {
    state: &'static str,
    /// Step of the draw that it opens with; null: first come, first served.
    draw: Option<DrawStep>,
    opens_at: DateTime<Utc>,
    closes_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ScheduleDocument {
    id: ScheduleId,
    starts_at: DateTime<Utc>,
    /// Whether it was cancelled, and the program was not.
    is_cancelled: bool,
    free: i64,
    price_from: Option<Points>,
}

impl<'a> ProgramDocument<'a> {
    pub(super) fn of(
        program: &'a Program,
        sale: SaleState,
        popularity: PublicRank,
        schedules: &[ScheduleListing],
    ) -> Self {
        let schedules = schedules.iter().map(|schedule| ScheduleDocument {
            id: schedule.id,
            starts_at: schedule.starts_at,
            is_cancelled: schedule.is_cancelled,
            free: schedule.free,
            price_from: schedule.price_from,
        });
        Self {
            slug: &program.slug,
            title: &program.title,
            needs_confirmed_address: program.guards.confirmed_address,
            sale: SaleDocument {
                state: sale.into(),
                draw: program.draw,
                opens_at: program.on_sale_at,
                closes_at: program.off_sale_at,
            },
            popularity,
            schedules: schedules.collect(),
        }
    }
}
