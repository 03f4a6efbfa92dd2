//! Charges of a day as a CSV file, and the list of money to be returned.

use actix_web::{
    HttpResponse,
    web::{Data, Query},
};
use askama::Template;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::store::{self, ListedCharge, UnclaimedCharge};
use crate::{
    accounts::AdminAccount,
    app::App,
    infra::postgres::page::{After, PAGE_ROWS, Page},
    text::times::{self, rfc3339_in},
    wallet::charges::payouts::model::shown,
    web::{
        error::PageError,
        files::download::{CHUNK_ROWS, csv},
        form::{Field, Mistakes},
        page::View,
    },
};

#[derive(Template)]
#[template(path = "admin/charges.html")]
struct UnclaimedPage {
    v: View,
    charges: Page<UnclaimedCharge>,
}

impl UnclaimedPage {
    /// Returns an amount as people read it; as it is stored for a currency that is not known.
    fn amount(&self, charge: &UnclaimedCharge) -> String {
        shown(charge.amount_minor, &charge.currency)
    }
}

/// Page of charges that belong to no account any more.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnclaimedDocument<'a> {
    unclaimed: &'a [UnclaimedCharge],
    next: Option<Uuid>,
}

/// `GET /admin/charges`
pub async fn list_unclaimed(
    app: Data<App>,
    me: AdminAccount,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let found = store::list_unclaimed(&app.db, query.after, PAGE_ROWS + 1).await?;
    let charges = Page::cut(found, |charge| charge.id);
    let page = UnclaimedPage { v: me.view, charges };
    let document = UnclaimedDocument { unclaimed: &page.charges.rows, next: page.charges.next };
    Ok(page.v.show(&page, &document))
}

/// Query of the file: the day, as `2026-11-22`; today if it is missing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DayQuery {
    /// Day in UTC, `YYYY-MM-DD`; empty: today.
    day: Field,
}

/// Columns of the file.
const COLUMNS: &[&str] = &[
    "created_at",
    "settled_at",
    "charge_id",
    "status",
    "provider",
    "provider_ref",
    "payment_ref",
    "amount_minor",
    "currency",
    "points",
    "points_reversed",
    "account_id",
];

/// `GET /admin/charges.csv`
pub async fn download_charges(
    app: Data<App>,
    _: AdminAccount,
    query: Query<DayQuery>,
) -> Result<HttpResponse, PageError> {
    let today = app.now().with_timezone(&times::home()).date_naive();
    let mut mistakes = Mistakes::default();
    let day: Option<NaiveDate> = if query.day.is_empty() { Some(today) } else { query.day.parse() };
    let day = mistakes.note("day", "admin-refusal-day", day);
    let day = mistakes.or(day)?;
    let db = app.db.clone();
    csv(&format!("charges-{day}"), COLUMNS.iter().copied(), move |after| {
        let db = db.clone();
        async move {
            let charges =
                store::list_charges(&db, day, times::home().name(), after, CHUNK_ROWS).await?;
            Ok(charges.into_iter().map(|charge| (charge.id, cells_of(charge))).collect())
        }
    })
    .await
}

fn cells_of(charge: ListedCharge) -> Vec<String> {
    let clock = times::home();
    vec![
        rfc3339_in(charge.created_at, clock),
        charge.settled_at.map(|at| rfc3339_in(at, clock)).unwrap_or_default(),
        charge.id.to_string(),
        charge.status,
        charge.provider,
        charge.provider_ref.unwrap_or_default(),
        charge.payment_ref.unwrap_or_default(),
        charge.amount_minor.to_string(),
        charge.currency,
        charge.points.to_string(),
        charge.reversed.to_string(),
        charge.account_id.to_string(),
    ]
}
