//! Taking a line away, a batch a press.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::{LinePage, Progress, refuse};
use crate::{
    accounts::AdminAccount,
    admin::{
        lines,
        model::Reason,
        pages::{parse_reason, programs::edition_of},
        store::lines as store,
    },
    app::App,
    catalog::ProgramId,
    entry_queue::{self, Purge, QueueNumber},
    web::{
        error::PageError,
        form::{Body, Field, Mistakes},
    },
};

/// A purge: the first press has no `up_to`, the next ones go on with it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PurgeForm {
    up_to: Field,
    total: Field,
    reason: Field,
}

/// `POST /admin/programs/{id}/line/purge`: one batch, and how far that is.
pub async fn create_purge(
    app: Data<App>,
    me: AdminAccount,
    path: Path<Uuid>,
    form: Body<PurgeForm>,
) -> Result<HttpResponse, PageError> {
    let id = ProgramId(path.into_inner());
    let mut mistakes = Mistakes::default();
    let parsed = parse_reason(&mut mistakes, &form.0.reason);
    let reason: Reason = match mistakes.or(parsed) {
        Ok(reason) => reason,
        Err(mistakes) => return refuse(&app, me.view, id, &mistakes).await,
    };
    edition_of(&app, id).await?;
    let up_to = match form.0.up_to.parse().map(QueueNumber) {
        Some(up_to) => up_to,
        None => entry_queue::end_of_line(&app, id).await?,
    };
    let before = store::figures_of(&app.db, id).await?;
    let total = form.0.total.parse().unwrap_or(before.waiting + before.parked);
    let purge: Purge = lines::purge(&app, me.account_id, id, up_to, &reason).await?;
    let mut page = LinePage::of(&app, me.view, id).await?;
    let left = if purge.is_done { 0 } else { page.figures.waiting + page.figures.parked };
    let document = json!({
        "taken": purge.n_taken, "up_to": up_to, "total": total, "left": left,
        "is_done": purge.is_done,
    });
    let reason = form.0.reason.text().to_owned();
    page.purge = Some(Progress { up_to, total, left, reason, is_done: purge.is_done });
    Ok(page.v.show(&page, &document))
}
