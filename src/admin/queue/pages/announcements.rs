//! Announcements to a line, and the pause that one may explain.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};

use super::{AdminQueuePage, admin_queue_path, announcement_form::AnnouncementForm, change};
use crate::{
    accounts::AdminAccount,
    admin::{
        pages::saved,
        programs::{
            self,
            pages::{VersionForm, edition_of},
        },
    },
    app::App,
    catalog::{AnnouncementId, NewAnnouncement, ProgramChange, ProgramId},
    web::{
        error::PageError,
        form::{Body, FormRefusal, Mistakes},
    },
};

/// Changes the program by what was typed; a refused form is shown with it.
async fn say(
    app: &App,
    me: AdminAccount,
    id: ProgramId,
    form: AnnouncementForm,
    change_of: impl FnOnce(Option<NewAnnouncement>) -> Result<ProgramChange, Mistakes>,
) -> Result<HttpResponse, PageError> {
    let edition = edition_of(app, id).await?;
    let outcome = async {
        let (version, said) = form.parse(&edition.time_zone, app.now())?;
        let change = change_of(said)?;
        Ok(programs::change(app, me.account_id, id, version, &change, None).await?)
    }
    .await;
    let page = async |v, refusal: FormRefusal| {
        let mut page = AdminQueuePage::of(app, v, id).await?;
        page.refusal = refusal.with_reasons(&page.v);
        page.announcement = form;
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(outcome, |v, done| saved(v, &done, &admin_queue_path(id)), page).await
}

/// `POST /admin/programs/{id}/queue/announcements`
pub async fn create_announcement(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    Body(form): Body<AnnouncementForm>,
) -> Result<HttpResponse, PageError> {
    let nothing = || Mistakes::one("words_en", "admin-queue-refusal-words");
    say(&app, me, *id, form, |said| said.map(ProgramChange::Announced).ok_or_else(nothing)).await
}

/// `POST /admin/programs/{id}/queue/pause`
pub async fn create_pause(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    Body(form): Body<AnnouncementForm>,
) -> Result<HttpResponse, PageError> {
    say(&app, me, *id, form, |said| Ok(ProgramChange::Paused(said))).await
}

/// `POST /admin/programs/{id}/queue/resumption`
pub async fn create_resumption(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ProgramId>,
    form: Body<VersionForm>,
) -> Result<HttpResponse, PageError> {
    let version = form.0.parse()?;
    change(&app, me, *id, version, &ProgramChange::Resumed).await
}

/// `POST /admin/programs/{id}/queue/announcements/{announcement_id}/withdrawal`
pub async fn create_withdrawal(
    app: Data<App>,
    me: AdminAccount,
    path: Path<(ProgramId, AnnouncementId)>,
    form: Body<VersionForm>,
) -> Result<HttpResponse, PageError> {
    let (id, announcement_id) = path.into_inner();
    let version = form.0.parse()?;
    change(&app, me, id, version, &ProgramChange::AnnouncementEnded(announcement_id)).await
}
