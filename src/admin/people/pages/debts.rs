//! Debts of an account: writing them off.

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
        people::{self, DebtWriteOff},
    },
    app::App,
    infra::idempotency::RequestKey,
    points::Points,
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
        request_key,
    },
};

/// Write-off form: the points and the reason.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["points", "reason"]))]
pub struct WriteOffForm {
    /// Points of the debt.
    points: Field,
    /// Reason, for the log.
    reason: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

/// `POST /admin/people/{id}/debt-write-offs`
pub async fn create_write_off(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<AccountId>,
    Body(form): Body<WriteOffForm>,
) -> Result<HttpResponse, PageError> {
    let mut mistakes = Mistakes::default();
    let points = form.points.parse().and_then(Points::new).filter(|points| points.get() > 0);
    let points = mistakes.note("points", "admin-refusal-debt", points);
    let reason = parse_reason(&mut mistakes, &form.reason);
    let key = request_key::parse(&mut mistakes, &form.request_key);
    let parsed = mistakes.or(points.zip(reason));
    if let Ok((points, _)) = &parsed
        && points.get() > i64::from(app.config.step_up_refund_points)
    {
        me.require_code()?;
    }
    let left = async {
        let (points, reason) = parsed?;
        let key = key.map(|key| {
            let route = format!("POST /admin/people/{id}/debt-write-offs");
            RequestKey::new(me.account_id.0, key, &route, &json!([points, reason]))
        });
        let write_off = DebtWriteOff { account_id: *id, points, reason };
        Ok(people::write_off_debt(&app, me.account_id, &write_off, key.as_ref()).await?)
    }
    .await;
    answer(&app, &me, *id, left).await
}
