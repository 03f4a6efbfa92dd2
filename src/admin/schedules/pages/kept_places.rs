//! Form that says until when a performance keeps its places for wheelchairs and companions.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::edit;
use crate::{
    accounts::AdminAccount,
    admin::{
        pages::{parse_optional, parse_version},
        schedules,
    },
    app::App,
    catalog::ScheduleId,
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
    },
};

/// Range of the hours before the start, a year at most: `schedules_kept_until_hours_range`.
const HOURS: std::ops::RangeInclusive<i32> = 0..=8_760;

/// Hours before the start; empty: until the start.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KeptPlacesForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Hours before the beginning at which kept places go on general sale; empty: never.
    until_hours: Field,
}

impl KeptPlacesForm {
    fn parse(&self) -> Result<(i64, Option<i32>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let until_hours = parse_optional(&self.until_hours, &HOURS);
        let until_hours = mistakes.note("until_hours", "admin-refusal-number", until_hours);
        mistakes.or(version.zip(until_hours))
    }
}

/// `POST /admin/schedules/{id}/kept-places`
pub async fn update_kept_places(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    form: Body<KeptPlacesForm>,
) -> Result<HttpResponse, PageError> {
    edit(&app, me, *id, form.0.parse(), async |change, until_hours| {
        schedules::keep_places(&app, change, until_hours).await
    })
    .await
}
