//! Checkpoints of a queue's logs, with the cosignatures of witnesses.

use actix_web::{HttpResponse, http::header, web::Data};

use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue::{
        log::{
            store::{LogId, LogKind, find_log},
            witnesses::model::{newest_cosigned, with_cosignatures},
        },
        pages::program::AtProgram,
    },
    web::error::{NotFound, PageError},
};

use super::witness::witnessed_of;

/// How long a checkpoint may be kept by caches, in seconds.
const CHECKPOINT_SECS: u32 = 1;

/// `GET /programs/{slug}/log/checkpoint`
pub async fn show_checkpoint(
    app: Data<App>,
    AtProgram { program, .. }: AtProgram<()>,
) -> Result<HttpResponse, PageError> {
    newest_of(&app, program.id, LogKind::Joins).await
}

/// `GET /programs/{slug}/log/moves/checkpoint`
pub async fn show_move_checkpoint(
    app: Data<App>,
    AtProgram { program, .. }: AtProgram<()>,
) -> Result<HttpResponse, PageError> {
    newest_of(&app, program.id, LogKind::Moves).await
}

/// `GET /programs/{slug}/log/checkpoint/cosigned`
pub async fn show_cosigned(
    app: Data<App>,
    AtProgram { program, .. }: AtProgram<()>,
) -> Result<HttpResponse, PageError> {
    cosigned_of(&app, program.id, LogKind::Joins).await
}

/// `GET /programs/{slug}/log/moves/checkpoint/cosigned`
pub async fn show_cosigned_moves(
    app: Data<App>,
    AtProgram { program, .. }: AtProgram<()>,
) -> Result<HttpResponse, PageError> {
    cosigned_of(&app, program.id, LogKind::Moves).await
}

/// Answers with the newest checkpoint, and the cosignatures that it has already.
async fn newest_of(
    app: &App,
    program_id: ProgramId,
    kind: LogKind,
) -> Result<HttpResponse, PageError> {
    let log = LogId { program_id, kind };
    let stored = find_log(&app.db, log).await?;
    let checkpoint = stored.and_then(|log| log.checkpoint).ok_or(NotFound)?;
    let witnessed = witnessed_of(app, log).await?;
    Ok(answer(with_cosignatures(&checkpoint, &witnessed)))
}

/// Answers with the newest checkpoint that a witness cosigned.
async fn cosigned_of(
    app: &App,
    program_id: ProgramId,
    kind: LogKind,
) -> Result<HttpResponse, PageError> {
    let log = LogId { program_id, kind };
    let witnessed = witnessed_of(app, log).await?;
    Ok(answer(newest_cosigned(&witnessed).ok_or(NotFound)?))
}

fn answer(checkpoint: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((header::CACHE_CONTROL, format!("public, max-age={CHECKPOINT_SECS}")))
        .insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .body(checkpoint)
}
