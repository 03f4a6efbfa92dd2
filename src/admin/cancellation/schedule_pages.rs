//! Cancellation page of one performance: confirmation form, then progress.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    pages::{Cancellable, CancellationForm, CancellationPage},
    store::{self, CancelledPart},
};
use crate::{
    accounts::{AdminAccount, ConfirmedAdmin},
    admin::{
        cancellation::store::CancellationProgress,
        schedules::{
            self, ScheduleEdit,
            telling::{Concerned, Whose, count_concerned},
        },
    },
    app::App,
    catalog::{ScheduleEdition, ScheduleId, find_schedule_edition},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::Body,
        page::View,
    },
};

async fn edition_of(app: &App, id: ScheduleId) -> Result<ScheduleEdition, PageError> {
    Ok(find_schedule_edition(&app.db, id).await?.ok_or(NotFound)?)
}

async fn page_of(app: &App, v: View, id: ScheduleId) -> Result<CancellationPage, PageError> {
    let edition = edition_of(app, id).await?;
    let of = CancelledPart { program_id: edition.program_id, schedule_id: Some(id) };
    let progress = store::progress_of(&app.db, of).await?;
    let concerned = count_concerned(&app.db, Whose::Schedule(id)).await?;
    let subject = Cancellable {
        href: format!("/admin/schedules/{id}"),
        program_id: edition.program_id,
        title: edition.title.clone(),
        version: edition.version,
        is_cancelled: edition.cancelled_at.is_some(),
        performance: Some(edition),
    };
    Ok(CancellationPage::new(app, v, subject, (progress, concerned)))
}

/// Cancellation of a performance, and how far it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScheduleCancellationDocument<'a> {
    schedule: Option<&'a ScheduleEdition>,
    progress: &'a CancellationProgress,
    concerned: &'a Concerned,
}

/// `GET /admin/schedules/{id}/cancellation`
pub async fn show_schedule_cancellation(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
) -> Result<HttpResponse, PageError> {
    let page = page_of(&app, me.view, *id).await?;
    let document = ScheduleCancellationDocument {
        schedule: page.subject.performance.as_ref(),
        progress: &page.progress,
        concerned: &page.concerned,
    };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/schedules/{id}/cancellation`
pub async fn create_schedule_cancellation(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<ScheduleId>,
    Body(form): Body<CancellationForm>,
) -> Result<HttpResponse, PageError> {
    edition_of(&app, *id).await?;
    let outcome = async {
        let (version, reason, terms) = form.parse()?;
        let change = ScheduleEdit { by: me.account_id.into(), id: *id, version };
        Ok(schedules::cancel(&app, change, &reason, &terms).await?)
    }
    .await;
    let done = |v: &View, edition| {
        let next = format!("/admin/schedules/{id}/cancellation");
        with_message(v.done(StatusCode::OK, &edition, &next), "flash-admin-cancelled")
    };
    let page = async |v, refusal| Ok(page_of(&app, v, *id).await?.refused(form, refusal));
    me.view.answer(outcome, done, page).await
}
