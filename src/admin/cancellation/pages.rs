//! Cancellation page: confirmation form, then progress.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::store::{self as store, CancellationProgress};
use crate::{
    accounts::{AdminAccount, api_keys::pages::ConfirmedProgramsWriter},
    admin::{
        pages::{parse_reason, parse_version},
        programs::{self, pages::edition_of},
    },
    app::App,
    audit::model::{Meanwhile, Reason},
    catalog::{ProgramChange, ProgramEdition, ProgramId, ProgramStatus},
    text::times::HOME_ZONE,
    web::{
        error::{HttpError, PageError},
        flash::with_message,
        form::{Body, Field, Mistakes},
        page::View,
    },
};

#[derive(Template)]
#[template(path = "admin/cancellation.html")]
struct CancellationPage {
    v: View,
    edition: ProgramEdition,
    progress: CancellationProgress,
    mistakes: Mistakes,
    refusal: Option<String>,
    meanwhile: Vec<Meanwhile>,
}

impl CancellationPage {
    async fn of(app: &App, v: View, id: ProgramId) -> Result<Self, PageError> {
        let edition = edition_of(app, id).await?;
        let progress = store::progress_of(&app.db, id).await?;
        let mistakes = Mistakes::default();
        Ok(Self { v, edition, progress, mistakes, refusal: None, meanwhile: Vec::new() })
    }

    fn left(&self) -> i64 {
        self.progress.held + self.progress.confirmed
    }

    /// Returns whether nothing is left to give back and no account waits in the queue.
    fn is_done(&self) -> bool {
        self.progress.is_over || (self.left() == 0 && self.progress.waiting == 0)
    }

    /// Returns the maximum of the progress bar, at least 1.
    fn whole(&self) -> i64 {
        (self.progress.done + self.left()).max(1)
    }
}

/// `GET /admin/programs/{id}/cancellation`
pub(crate) async fn show_cancellation(
    app: Data<App>,
    me: AdminAccount,
    path: Path<Uuid>,
) -> Result<HttpResponse, PageError> {
    let page = CancellationPage::of(&app, me.view, ProgramId(path.into_inner())).await?;
    let document = json!({ "program": page.edition, "progress": page.progress });
    Ok(page.v.show(&page, &document))
}

/// Cancellation form as typed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CancellationForm {
    version: Field,
    reason: Field,
}

impl CancellationForm {
    fn parse(&self) -> Result<(i64, Reason), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let reason = parse_reason(&mut mistakes, &self.reason);
        mistakes.or(version.zip(reason))
    }
}

/// `POST /admin/programs/{id}/cancellation`
pub(crate) async fn create_cancellation(
    app: Data<App>,
    ConfirmedProgramsWriter(me): ConfirmedProgramsWriter,
    path: Path<Uuid>,
    form: Body<CancellationForm>,
) -> Result<HttpResponse, PageError> {
    let id = ProgramId(path.into_inner());
    let (version, reason) = match form.0.parse() {
        Ok(parsed) => parsed,
        Err(mistakes) if me.view.wants_form(&mistakes) => {
            let mut page = CancellationPage::of(&app, me.view, id).await?;
            page.mistakes = mistakes;
            return Ok(page.v.html(StatusCode::UNPROCESSABLE_ENTITY, &page));
        }
        Err(mistakes) => return Err(mistakes.into()),
    };
    let change = &ProgramChange::Cancelled;
    match programs::change(&app, me.actor, id, version, change, Some(&reason)).await {
        Ok(edition) => {
            let next = format!("/admin/programs/{id}/cancellation");
            Ok(with_message(me.view.done(StatusCode::OK, &edition, &next), "flash-admin-cancelled"))
        }
        Err(refusal) if me.view.wants_form(&refusal) => {
            let mut page = CancellationPage::of(&app, me.view, id).await?;
            page.refusal = Some(page.v.refusal(&refusal));
            page.meanwhile = refusal.meanwhile().to_vec();
            Ok(page.v.html(refusal.status(), &page))
        }
        Err(failure) => Err(failure.into()),
    }
}
