//! Time that staff give to the accounts that are inside: some minutes, or for as long as they stop the clock.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer;
use crate::{
    accounts::AdminAccount,
    admin::{
        pages::{ReasonForm, parse_reason},
        programs::pages::edition_of,
        queue,
    },
    app::App,
    catalog::ProgramId,
    infra::idempotency::RequestKey,
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
        request_key,
    },
};

/// Bound on the minutes that are given at once.
const MINUTES_MAX: u32 = 60;

/// Form that gives time back to the accounts that are inside.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["minutes", "reason"]))]
pub struct GivenTimeForm {
    /// Whole minutes, from 1 to 60.
    minutes: Field,
    /// Reason, for the log and for the pages.
    reason: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

/// `POST /admin/programs/{id}/queue/given-time`
pub async fn create_given_time(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    form: Body<GivenTimeForm>,
) -> Result<HttpResponse, PageError> {
    edition_of(&app, *id).await?;
    let outcome = async {
        let mut mistakes = Mistakes::default();
        let reason = parse_reason(&mut mistakes, &form.0.reason);
        let minutes = form.0.minutes.parse().filter(|minutes| (1..=MINUTES_MAX).contains(minutes));
        let minutes = mistakes.note("minutes", "admin-given-time-refusal-minutes", minutes);
        let key = request_key::parse(&mut mistakes, &form.0.request_key);
        let (minutes, reason) = mistakes.or(minutes.zip(reason))?;
        let key = key.map(|key| {
            let route = format!("POST /admin/programs/{id}/queue/given-time");
            RequestKey::new(me.account_id.0, key, &route, &json!([minutes, reason]))
        });
        let (by, what) = (me.account_id, (minutes, &reason));
        Ok(queue::give_time(&app, by, *id, what, key.as_ref()).await?)
    }
    .await;
    answer(&app, me.view, *id, outcome).await
}

/// `POST /admin/programs/{id}/queue/clock/stop`
pub async fn create_clock_stop(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    form: Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    edition_of(&app, *id).await?;
    let outcome = async {
        let reason = form.0.parse()?;
        Ok(queue::stop_clock(&app, me.account_id, *id, &reason).await?)
    }
    .await;
    answer(&app, me.view, *id, outcome).await
}

/// `POST /admin/programs/{id}/queue/clock/restart`
pub async fn create_clock_restart(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
) -> Result<HttpResponse, PageError> {
    edition_of(&app, *id).await?;
    let outcome = queue::restart_clock(&app, me.account_id, *id).await.map_err(PageError::from);
    answer(&app, me.view, *id, outcome).await
}
