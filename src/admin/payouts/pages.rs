//! List of the payouts of all accounts, and trying failed ones again.

use std::str::FromStr;

use actix_web::{
    HttpResponse,
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use uuid::Uuid;

use super::store::{self, ListedPayout, PayoutFilter, PayoutSum};
use crate::{
    accounts::{AdminAccount, ConfirmedAdmin},
    admin::{pages::saved, payouts},
    app::App,
    infra::postgres::page::{PAGE_ROWS, Page},
    wallet::charges::payouts::model::{PayoutId, PayoutStatus},
    web::{
        error::PageError,
        form::{Body, Field, FormRefusal, Mistakes},
        page::View,
    },
};

/// Path of the list.
const PAYOUTS_PATH: &str = "/admin/payouts";
/// Payouts that are added up where no show is chosen, the newest ones.
const SUMMED_MAX: i64 = 10_000;

/// Query of the list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PayoutsQuery {
    /// `OPEN`, `SENT`, `SETTLED` or `FAILED`; empty: all.
    status: Field,
    /// Show whose refunds they are part of; empty: all.
    program_id: Field,
    /// Performance whose refunds they are part of; empty: all.
    schedule_id: Field,
    /// Key of the last row of the page before.
    after: Field,
    /// Last failed payout that was tried again with others, behind which the next press goes on.
    tried_to: Field,
}

impl PayoutsQuery {
    async fn filter(&self, app: &App) -> Result<PayoutFilter, PageError> {
        let mut mistakes = Mistakes::default();
        let status = optional(&mut mistakes, "status", "payout-refusal-status", &self.status);
        let program_id: Option<Uuid> =
            optional(&mut mistakes, "program_id", "payout-refusal-of", &self.program_id);
        let schedule_id: Option<Uuid> =
            optional(&mut mistakes, "schedule_id", "payout-refusal-of", &self.schedule_id);
        let (status, program_id, schedule_id) =
            mistakes.or(Some((status, program_id, schedule_id)))?;
        let schedules = match (schedule_id, program_id) {
            (Some(id), _) => Some(vec![id]),
            (None, Some(id)) => Some(store::list_schedules(&app.db, id).await?),
            (None, None) => None,
        };
        Ok(PayoutFilter { status, schedules })
    }
}

/// Parses a field that may be empty.
fn optional<T: FromStr>(
    mistakes: &mut Mistakes,
    name: &'static str,
    reason: &'static str,
    typed: &Field,
) -> Option<T> {
    if typed.is_empty() { None } else { mistakes.note(name, reason, typed.parse()) }
}

#[derive(Template)]
#[template(path = "admin/payouts.html")]
struct PayoutsPage {
    v: View,
    query: PayoutsQuery,
    sums: Vec<PayoutSum>,
    payouts: Page<ListedPayout>,
    refusal: FormRefusal,
    /// Whether any has failed that can be tried again.
    has_failed: bool,
}

impl PayoutsPage {
    async fn of(app: &App, v: View, query: PayoutsQuery) -> Result<Self, PageError> {
        let filter = query.filter(app).await?;
        let found = store::list(&app.db, &filter, query.after.parse(), PAGE_ROWS + 1).await?;
        let payouts = Page::cut(found, |payout| payout.id.0);
        let sums = store::sum(&app.db, filter.schedules.as_deref(), SUMMED_MAX).await?;
        let failed = store::list_failed(&app.db, &filter, query.tried_to.parse(), 1).await?;
        let (refusal, has_failed) = (FormRefusal::default(), !failed.is_empty());
        Ok(Self { v, query, sums, payouts, refusal, has_failed })
    }

    fn is_status(&self, name: &str) -> bool {
        self.query.status.text() == name
    }
}

/// Page of payouts, with the sums of all.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PayoutsDocument<'a> {
    sums: &'a [PayoutSum],
    payouts: &'a [ListedPayout],
    next: Option<Uuid>,
}

/// `GET /admin/payouts`
pub async fn list_payouts(
    app: Data<App>,
    me: AdminAccount,
    query: Query<PayoutsQuery>,
) -> Result<HttpResponse, PageError> {
    let page = PayoutsPage::of(&app, me.view, query.into_inner()).await?;
    let (sums, payouts) = (&page.sums, &page.payouts.rows);
    let document = PayoutsDocument { sums, payouts, next: page.payouts.next };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/payouts/{id}/attempts`
pub async fn create_attempt(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<PayoutId>,
) -> Result<HttpResponse, PageError> {
    let outcome = payouts::attempt(&app, me.account_id, *id).await.map_err(PageError::from);
    let page = async |v, refusal: FormRefusal| {
        let mut page = PayoutsPage::of(&app, v, PayoutsQuery::default()).await?;
        page.refusal = refusal;
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(outcome, |v, paid| saved(v, &paid, PAYOUTS_PATH), page).await
}

/// Performances whose failed payouts are tried again.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AttemptsForm {
    /// Show; empty: all.
    program_id: Field,
    /// Performance; empty: all.
    schedule_id: Field,
    /// `tried_to` of the answer before, to go on behind it; empty: from the oldest on.
    tried_to: Field,
}

/// Payouts that were tried again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AttemptsDocument {
    /// How many.
    tried: usize,
    /// Last failed payout that was looked at; null if there are no more.
    tried_to: Option<PayoutId>,
}

/// `POST /admin/payouts/attempts`
pub async fn create_attempts(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    Body(form): Body<AttemptsForm>,
) -> Result<HttpResponse, PageError> {
    let AttemptsForm { program_id, schedule_id, tried_to } = form;
    let query = PayoutsQuery { program_id, schedule_id, tried_to, ..PayoutsQuery::default() };
    let filter = query.filter(&app).await?;
    let after = query.tried_to.parse();
    let (tried, tried_to) = payouts::attempt_all(&app, me.account_id, &filter, after).await?;
    let next = format!(
        "{PAYOUTS_PATH}?status=FAILED&program_id={}&schedule_id={}&tried_to={}",
        query.program_id.text(),
        query.schedule_id.text(),
        tried_to.map(|id| id.to_string()).unwrap_or_default()
    );
    Ok(saved(&me.view, &AttemptsDocument { tried, tried_to }, &next))
}
