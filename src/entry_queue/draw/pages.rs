//! HTTP pages of a draw: what is published, and the entry of the signed-in account.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    document::DrawDocument,
    entries::{self, OwnEntry},
    lists::{ClosedLists, page_of},
    model::Draw,
    store,
};
use crate::{
    accounts::{CurrentAccount, Visitor},
    app::App,
    catalog::{DrawStep, Program},
    entry_queue::{error::QueueError, pages::program::AtProgram, paths::program_path},
    text::i18n::Phrase,
    web::{
        error::{NotFound, PageError},
        page::{View, json},
    },
};

/// The list of a closed draw never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

#[derive(Template)]
#[template(path = "entry_queue/draw.html")]
struct DrawPage<'a> {
    v: &'a View,
    program: &'a Program,
    draw: &'a DrawDocument,
}

impl DrawPage<'_> {
    fn time(&self, moment: &DateTime<Utc>) -> String {
        self.v.moment(moment, &self.program.time_zone)
    }

    fn state(&self) -> Phrase {
        let step: &str = self.draw.step.into();
        self.v.text(format!("draw-step-{step}"))
    }

    /// Whether the beacon is waited for.
    fn awaits_beacon(&self) -> bool {
        self.draw.step == DrawStep::Closed && self.draw.beacon.is_some()
    }
}

#[derive(Template)]
#[template(path = "entry_queue/draw_entry.html")]
struct EntryPage<'a> {
    v: &'a View,
    program: &'a Program,
    entry: &'a OwnEntry,
    is_open: bool,
}

/// Returns the draw of a program, or the refusal that it has none.
async fn draw_of(app: &App, program: &Program) -> Result<Draw, PageError> {
    Ok(store::find_draw(&app.db, program.id).await?.ok_or(NotFound)?)
}

/// `GET /programs/{slug}/draw`
pub async fn show_draw(
    app: Data<App>,
    AtProgram { program, me: visitor }: AtProgram<Visitor>,
) -> Result<HttpResponse, PageError> {
    let draw = DrawDocument::of(&draw_of(&app, &program).await?);
    let v = &visitor.view;
    Ok(v.show(&DrawPage { v, program: &program, draw: &draw }, &draw))
}

/// `GET /programs/{slug}/draw.json`
pub async fn download_draw(
    app: Data<App>,
    AtProgram { program, .. }: AtProgram<()>,
) -> Result<HttpResponse, PageError> {
    let draw = DrawDocument::of(&draw_of(&app, &program).await?);
    Ok(as_file(json(StatusCode::OK, &draw), "attachment; filename=\"draw.json\""))
}

/// `GET /programs/{slug}/draw/entries/{page}`
pub async fn show_entries(
    app: Data<App>,
    lists: Data<ClosedLists>,
    AtProgram { program, .. }: AtProgram<()>,
    path: Path<(String, usize)>,
) -> Result<HttpResponse, PageError> {
    let (_, number) = &*path;
    let draw = draw_of(&app, &program).await?;
    if draw.closed_at.is_none() {
        return Err(NotFound.into());
    }
    let list = lists.of(&app, program.id).await.map_err(QueueError::from)?;
    let page = page_of(&list, *number).ok_or(NotFound)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, FOR_EVER))
        .insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .body(page))
}

/// Returns the draw of a program, and the entry of an account in it.
async fn own_entry(
    app: &App,
    program: &Program,
    lists: &ClosedLists,
    me: &CurrentAccount,
) -> Result<(Draw, OwnEntry), PageError> {
    let draw = draw_of(app, program).await?;
    let entry = entries::find_own_entry(app, lists, &draw, me.account_id).await?;
    Ok((draw, entry.ok_or_else(|| QueueError::no_token(program))?))
}

/// `GET /programs/{slug}/draw/entry`
pub async fn show_entry(
    app: Data<App>,
    lists: Data<ClosedLists>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    let (draw, entry) = own_entry(&app, &program, &lists, &me).await?;
    let is_open = draw.step == DrawStep::Open;
    let page = EntryPage { v: &me.view, program: &program, entry: &entry, is_open };
    Ok(me.view.show(&page, &entry))
}

/// `GET /programs/{slug}/draw/entry.json`
pub async fn download_entry(
    app: Data<App>,
    lists: Data<ClosedLists>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    let (_, entry) = own_entry(&app, &program, &lists, &me).await?;
    Ok(as_file(json(StatusCode::OK, &entry), "attachment; filename=\"entry.json\""))
}

fn as_file(mut answer: HttpResponse, disposition: &'static str) -> HttpResponse {
    let attachment = header::HeaderValue::from_static(disposition);
    answer.headers_mut().insert(header::CONTENT_DISPOSITION, attachment);
    answer
}

/// `DELETE /programs/{slug}/draw/entry` and `POST /programs/{slug}/draw/entry/withdrawal`
pub async fn delete_entry(
    app: Data<App>,
    AtProgram { program, me }: AtProgram<CurrentAccount>,
) -> Result<HttpResponse, PageError> {
    if !entries::withdraw_entry(&app, program.id, me.account_id).await? {
        return Err(QueueError::no_token(&program).into());
    }
    Ok(me.view.done(StatusCode::NO_CONTENT, &Value::Null, &program_path(&program.slug)))
}
