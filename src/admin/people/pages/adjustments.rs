//! Adjustments of an account's points.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer;
use crate::{
    accounts::{AccountId, ConfirmedAdmin},
    admin::{
        pages::parse_reason,
        people::{self, Adjustment},
    },
    app::App,
    infra::idempotency::RequestKey,
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
        request_key,
    },
};

/// Largest adjustment in points, in either direction.
const ADJUSTMENT_MAX: i64 = 10_000_000;

/// Adjustment form: signed points and the reason.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["amount", "reason"]))]
pub struct AdjustmentForm {
    /// Points to add; negative ones are taken off.
    amount: Field,
    /// Reason, for the log.
    reason: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

/// `POST /admin/people/{id}/adjustments`
pub async fn create_adjustment(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<AccountId>,
    Body(form): Body<AdjustmentForm>,
) -> Result<HttpResponse, PageError> {
    let mut mistakes = Mistakes::default();
    let amount = form
        .amount
        .parse()
        .filter(|amount: &i64| *amount != 0 && (-ADJUSTMENT_MAX..=ADJUSTMENT_MAX).contains(amount));
    let amount = mistakes.note("amount", "admin-refusal-amount", amount);
    let reason = parse_reason(&mut mistakes, &form.reason);
    let key = request_key::parse(&mut mistakes, &form.request_key);
    let parsed = mistakes.or(amount.zip(reason));
    if let Ok((amount, _)) = &parsed
        && amount.unsigned_abs() > u64::from(app.config.step_up_refund_points)
    {
        me.require_code()?;
    }
    let adjusted = async {
        let (amount, reason) = parsed?;
        let key = key.map(|key| {
            let route = format!("POST /admin/people/{id}/adjustments");
            RequestKey::new(me.account_id.0, key, &route, &json!([amount, reason]))
        });
        let adjustment = Adjustment { account_id: *id, amount, reason };
        Ok(people::adjust_points(&app, me.account_id, &adjustment, key.as_ref()).await?)
    }
    .await;
    answer(&app, &me, *id, adjusted).await
}
