//! Overview page.

use actix_web::{HttpResponse, web::Data};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Current, store::RunningSale};
use crate::{
    accounts::AdminAccount,
    admin::{
        audit_log::pages::{LogRow, lines},
        overview,
    },
    app::App,
    catalog::{DatesLeft, ProgramStatus},
    web::{error::PageError, page::View},
};

#[derive(Template)]
#[template(path = "admin/home.html")]
struct HomePage {
    v: View,
    programs: Vec<Current>,
    log: Vec<LogRow>,
    now: DateTime<Utc>,
}

impl RunningSale {
    /// Returns the locale key of the sale's state.
    fn state_key(&self, now: &DateTime<Utc>) -> &'static str {
        match self.status {
            ProgramStatus::Cancelled => "admin-state-winding-down",
            _ if self.dates_left != DatesLeft::Some => "admin-state-no-dates",
            _ if *now < self.on_sale_at => "admin-state-coming",
            _ if self.is_paused => "admin-state-paused",
            _ if self.is_sold_out => "admin-state-sold-out",
            _ => "admin-state-on-sale",
        }
    }
}

/// Shows that are on sale or about to be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OverviewDocument<'a> {
    programs: &'a [Current],
}

/// `GET /admin`
pub async fn show_home(app: Data<App>, me: AdminAccount) -> Result<HttpResponse, PageError> {
    let (programs, log) = overview::overview(&app).await?;
    let page = HomePage { log: lines(&me.view, log), v: me.view, programs, now: app.now() };
    let document = OverviewDocument { programs: &page.programs };
    Ok(page.v.show(&page, &document))
}
