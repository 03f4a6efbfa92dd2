//! Taking a line away: ordered here, watched on the page of the line.

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

/// How long the page of a line tells of a purge that is done.
const TOLD: TimeDelta = TimeDelta::minutes(10);

/// A purge as the page of the line tells of it.
#[derive(serde::Serialize)]
#[serde(transparent)]
pub(crate) struct PurgeView(Purge);

impl PurgeView {
    /// `purge`, if it goes on or ended lately.
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

    /// What the bar is full at: an empty line is done at once.
    pub(crate) fn whole(&self) -> i64 {
        self.0.total.max(1)
    }

    pub(crate) fn taken(&self) -> i64 {
        (self.0.total - self.0.left).max(0)
    }
}

/// An order to take the line away.
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
