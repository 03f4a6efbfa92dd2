//! Page of a reconciliation.

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use askama::Template;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    model::{DifferenceKind, MoneyDifference, Reconciliation},
    reconcile,
};
use crate::{
    accounts::AdminAccount,
    admin::settlement::model::{Period, PeriodPart},
    app::App,
    text::times,
    wallet::{Provider, charges::payouts::model::shown},
    web::{
        error::PageError,
        form::{Body, Field, FormRefusal, Mistakes},
        page::View,
    },
};

/// Span to be compared.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReconciliationForm {
    /// Day, `YYYY-MM-DD`; empty: today.
    day: Field,
    /// Hour of the day from 0 on, or one minute of it (`13:30`), for a day with more payments than are compared at once;
    /// empty: all of the day.
    hour: Field,
}

/// Span that is compared.
#[derive(Clone, Copy, Debug)]
struct Compared {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

impl ReconciliationForm {
    fn parse(&self, today: NaiveDate) -> Result<Compared, Mistakes> {
        let mut mistakes = Mistakes::default();
        let day = match self.day.is_empty() {
            true => Some(today),
            false => mistakes.note("day", "admin-refusal-day", self.day.parse::<NaiveDate>()),
        };
        let whole = day.and_then(|day| Period::new(day, day, times::home())).map(Period::whole);
        let part = whole.and_then(|whole| part_of(self.hour.text(), whole));
        let part = mistakes.note("hour", "admin-refusal-number", part);
        let span = part.map(|(from, until)| Compared { from, until });
        mistakes.or(span)
    }
}

/// Returns the part of a day that a text names: all of it, an hour (`13`), or a minute (`13:30`); `None` for another text.
fn part_of(text: &str, day: PeriodPart) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let (hour, minute) = match text.split_once(':') {
        None if text.is_empty() => return Some((day.from, day.until)),
        None => (text, None),
        Some((hour, minute)) => (hour, Some(minute.parse::<u8>().ok()?)),
    };
    let minutes = minute.filter(|minute| *minute < 60);
    let from = day.from + TimeDelta::hours(hour.parse::<u8>().ok()?.into());
    let from = from + TimeDelta::minutes(minutes.unwrap_or_default().into());
    let long = if minute.is_some() { TimeDelta::minutes(1) } else { TimeDelta::hours(1) };
    let is_known = from < day.until && minute.is_some() == minutes.is_some();
    is_known.then(|| (from, (from + long).min(day.until)))
}

#[derive(Template)]
#[template(path = "admin/reconciliation.html")]
struct ReconciliationPage {
    v: View,
    form: ReconciliationForm,
    takes_money: bool,
    /// Result; `None` before anything was compared.
    found: Option<Reconciliation>,
    refusal: FormRefusal,
}

impl ReconciliationPage {
    fn amount(&self, minor: i64, currency: &str) -> String {
        let _ = &self.v;
        shown(minor, currency)
    }

    fn link(&self, difference: &MoneyDifference) -> Option<(String, &'static str)> {
        let _ = &self.v;
        Some(match (difference.kind, difference.account_id) {
            (DifferenceKind::Unclaimed, _) => ("/admin/charges".to_owned(), "admin-home-unclaimed"),
            (DifferenceKind::RefundDiffers | DifferenceKind::RefundMissing, _) => {
                ("/admin/payouts".to_owned(), "admin-payouts-title")
            }
            (_, Some(id)) => (format!("/admin/people/{id}"), "admin-difference-person"),
            (_, None) => return None,
        })
    }
}

/// Reconciliation of a span of time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReconciliationDocument {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    /// What differs; null where points are not sold for money.
    #[serde(flatten)]
    found: Option<Reconciliation>,
}

/// `GET /admin/reconciliation`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn show_reconciliation(
    app: Data<App>,
    provider: Data<Provider>,
    me: AdminAccount,
) -> Result<HttpResponse, PageError> {
    let day = app.now().with_timezone(&times::home()).date_naive();
    let form = ReconciliationForm { day: Field::of(day), ..ReconciliationForm::default() };
    let (takes_money, refusal) = (provider.takes_money(), FormRefusal::default());
    let page = ReconciliationPage { v: me.view, form, takes_money, found: None, refusal };
    Ok(page.v.html(StatusCode::OK, &page))
}

/// `POST /admin/reconciliation`: a request that changes nothing, and may take longer than a read.
pub async fn create_reconciliation(
    app: Data<App>,
    provider: Data<Provider>,
    me: AdminAccount,
    Body(form): Body<ReconciliationForm>,
) -> Result<HttpResponse, PageError> {
    let today = app.now().with_timezone(&times::home()).date_naive();
    let outcome = async {
        let Compared { from, until } = form.parse(today)?;
        let found = match provider.as_ref() {
            Provider::Demo => None,
            Provider::Stripe(stripe) => Some(reconcile(&app.db, stripe, from, until).await?),
        };
        Ok::<_, PageError>((from, until, found))
    }
    .await;
    let (found, refusal) = match me.view.or_refusal(outcome)? {
        Ok((from, until, found)) if me.view.format.is_for_programs() => {
            let document = ReconciliationDocument { from, until, found };
            return Ok(me.view.json(StatusCode::OK, &document));
        }
        Ok((.., found)) => (found, FormRefusal::default()),
        Err(refusal) => (None, refusal),
    };
    let (takes_money, status) = (provider.takes_money(), refusal.status());
    let page = ReconciliationPage { v: me.view, form, takes_money, found, refusal };
    Ok(page.v.html(status, &page))
}
