//! Overview page.

use actix_web::{HttpResponse, web::Data};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Current, OfficeOverview, store::RunningSale};
use crate::{
    accounts::AdminAccount,
    admin::{
        audit_log::pages::{LogRow, lines},
        live::{pages::verification_text, store::Verification},
        overview,
    },
    app::App,
    catalog::{DatesLeft, ProgramStatus},
    text::i18n::Phrase,
    web::{error::PageError, page::View},
};

#[derive(Template)]
#[template(path = "admin/home.html")]
struct HomePage {
    v: View,
    programs: Vec<Current>,
    log: Vec<LogRow>,
    verification: Option<Verification>,
    now: DateTime<Utc>,
}

impl HomePage {
    fn verification(&self) -> Phrase {
        verification_text(&self.v, self.verification.as_ref(), &self.now)
    }
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
    /// Last run of `stagedoor verify`; `None` if there was none.
    verification: Option<&'a Verification>,
}

/// `GET /admin`
pub async fn show_home(app: Data<App>, me: AdminAccount) -> Result<HttpResponse, PageError> {
    let OfficeOverview { programs, log, verification } = overview::overview(&app).await?;
    let log = lines(&me.view, log);
    let page = HomePage { log, v: me.view, programs, verification, now: app.now() };
    let (programs, verification) = (page.programs.as_slice(), page.verification.as_ref());
    let document = OverviewDocument { programs, verification };
    Ok(page.v.show(&page, &document))
}
