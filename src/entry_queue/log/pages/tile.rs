//! Tiles of a log's tree, and its entries in bundles.

use actix_web::{
    HttpResponse,
    http::header,
    web::{Data, Path},
};

use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue::{
        log::{
            entries::list_entries,
            store::{self, LogId, LogKind},
        },
        pages::program::AtProgram,
    },
    infra::{
        throwaway,
        tlog::{ENTRIES_PER_TILE, Hash, TileContent, TilePath, TilePlace},
    },
    web::error::{NotFound, PageError},
};

/// A tile never changes.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// A rehearsal removes its log.
const NEVER: &str = "no-store";

/// `GET /programs/{slug}/log/tile/{path}`
pub async fn show_tile(
    app: Data<App>,
    AtProgram { program, .. }: AtProgram<()>,
    path: Path<(String, String)>,
) -> Result<HttpResponse, PageError> {
    tile_of(&app, program.id, &path.1, LogKind::Joins).await
}

/// `GET /programs/{slug}/log/moves/tile/{path}`
pub async fn show_move_tile(
    app: Data<App>,
    AtProgram { program, .. }: AtProgram<()>,
    path: Path<(String, String)>,
) -> Result<HttpResponse, PageError> {
    tile_of(&app, program.id, &path.1, LogKind::Moves).await
}

async fn tile_of(
    app: &App,
    program_id: ProgramId,
    tile: &str,
    kind: LogKind,
) -> Result<HttpResponse, PageError> {
    let log = LogId { program_id, kind };
    let tile = TilePath::parse(tile).ok_or(NotFound)?;
    let content = match tile.content {
        TileContent::Hashes(place) => hashes_of(app, log, place, tile.width).await?,
        TileContent::Entries(number) => bundle_of(app, log, number, tile.width).await?,
    };
    let cached = if throwaway::is_marked(program_id.0) { NEVER } else { FOR_EVER };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/octet-stream"))
        .insert_header((header::CACHE_CONTROL, cached))
        .insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"))
        .body(content.ok_or(NotFound)?))
}

/// Returns the first `width` hashes of a tile; `None` if it has fewer.
async fn hashes_of(
    app: &App,
    log: LogId,
    place: TilePlace,
    width: u64,
) -> Result<Option<Vec<u8>>, sqlx::Error> {
    let tiles = store::find_tiles(&app.db, log, &[place]).await?;
    let n_bytes = usize::try_from(width).unwrap_or(usize::MAX).saturating_mul(size_of::<Hash>());
    Ok(tiles.into_iter().next().and_then(|(_, mut hashes)| {
        let is_there = hashes.len() >= n_bytes;
        hashes.truncate(n_bytes);
        is_there.then_some(hashes)
    }))
}

/// Returns the first `width` entries of a bundle, each after its length in two bytes; `None` if the
/// checkpoint has fewer.
async fn bundle_of(
    app: &App,
    id: LogId,
    number: u64,
    width: u64,
) -> Result<Option<Vec<u8>>, sqlx::Error> {
    let first = number.checked_mul(ENTRIES_PER_TILE).and_then(|first| i64::try_from(first).ok());
    let (Some(first), Ok(width)) = (first, i64::try_from(width)) else { return Ok(None) };
    let log = store::find_log(&app.db, id).await?;
    if log.is_none_or(|log| log.size - width < first) {
        return Ok(None);
    }
    let entries = list_entries(&app.db, id, first, width).await?;
    Ok(entries.and_then(|entries| bundled(&entries)))
}

/// Returns entries one after the other, each after its length; `None` if one is too long.
fn bundled(entries: &[String]) -> Option<Vec<u8>> {
    let mut bundle = Vec::new();
    for entry in entries {
        bundle.extend(u16::try_from(entry.len()).ok()?.to_be_bytes());
        bundle.extend_from_slice(entry.as_bytes());
    }
    Some(bundle)
}
