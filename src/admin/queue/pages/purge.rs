//! Purge of a queue: ordered by a form, its progress shown on the queue's page.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::{line_path, refuse};
use crate::{
    accounts::ConfirmedAdmin,
    admin::{pages::parse_reason, programs::pages::edition_of, queue},
    app::App,
    catalog::ProgramId,
    entry_queue::Purge,
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
    },
};

/// How long the queue's page shows a purge after its end.
const TOLD: TimeDelta = TimeDelta::minutes(10);

/// Purge as the queue's page shows it.
#[derive(serde::Serialize)]
#[serde(transparent)]
pub(crate) struct PurgeView(Purge);

impl PurgeView {
    /// Returns `purge` if it is running or ended recently.
    pub(crate) fn of(purge: Purge, now: DateTime<Utc>) -> Option<Self> {
        let is_told = purge.ended_at.is_none_or(|ended_at| now - ended_at < TOLD);
        is_told.then_some(Self(purge))
    }

    pub(crate) fn is_done(&self) -> bool {
        self.0.ended_at.is_some()
    }

    pub(crate) fn total(&self) -> i64 {
        self.0.total
    }

    /// Returns the maximum of the progress bar, at least 1.
    pub(crate) fn whole(&self) -> i64 {
        self.0.total.max(1)
    }

    pub(crate) fn taken(&self) -> i64 {
        (self.0.total - self.0.left).max(0)
    }
}

/// Form that orders a purge.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PurgeForm {
    reason: Field,
}

/// `POST /admin/programs/{id}/line/purge`
pub(crate) async fn create_purge(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    path: Path<Uuid>,
    form: Body<PurgeForm>,
) -> Result<HttpResponse, PageError> {
    let id = ProgramId(path.into_inner());
    let mut mistakes = Mistakes::default();
    let parsed = parse_reason(&mut mistakes, &form.0.reason);
    let reason = match mistakes.or(parsed) {
        Ok(reason) => reason,
        Err(mistakes) => return refuse(&app, me.view, id, &mistakes).await,
    };
    edition_of(&app, id).await?;
    let purge = queue::purge(&app, me.account_id, id, &reason).await?;
    Ok(me.view.done(StatusCode::OK, &purge, &line_path(id)))
}
