//! Posters that organisers upload for their programs.
//!
//! A **poster** is a row beside its program, with its **version** (the beginning of the hash of the upload)
//! and three **files**: JPEG of four by three in the sizes of [`PosterSize`]. They are cut from the middle of
//! the picture, so that no list loads what it does not show, and encoded from its pixels alone. What is
//! transparent becomes white. A program without a poster shows the drawing that is made of its name
//! ([`web::poster`](crate::web::poster)).
//!
//! # Invariants
//!
//! * A program has one poster at most, and the files of no other are kept.
//! * A file keeps to [`FILES_MAX`] bytes, whatever the picture.
//!
//! # Concurrency
//!
//! A poster is replaced as an edit of its program, under the lock of the program's row. Its files are read
//! through [`Posters`], a cache of a second: a file that was removed is served that much longer.

mod files;
pub(crate) mod pages;
pub(crate) mod store;

use std::time::Duration;

use actix_web::web::Bytes;
use moka::future::Cache;

pub(crate) use self::files::PosterFiles;
use super::{error::CatalogError, model::ProgramId, programs};
use crate::infra::postgres::Connection;

/// Maximum age of a file in memory.
const FILE_TTL: Duration = Duration::from_secs(1);
/// Upper bound of the files that a process keeps in memory, in bytes.
const FILES_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Files of posters by their paths, read within the last second.
#[derive(Clone, Debug)]
pub(crate) struct Posters(Cache<String, Option<Bytes>>);

impl Default for Posters {
    fn default() -> Self {
        /// What an entry takes beside its file, in bytes.
        const ENTRY: usize = 1_024;
        let weight = |_: &String, file: &Option<Bytes>| {
            let bytes = file.as_ref().map_or(0, Bytes::len) + ENTRY;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(FILES_BYTES_MAX).weigher(weight);
        Self(cache.time_to_live(FILE_TTL).build())
    }
}

/// Replaces the poster of a locked program, as its next edition; `None` removes it.
pub(crate) async fn replace(
    tx: &mut Connection,
    id: ProgramId,
    poster: Option<&PosterFiles>,
) -> Result<(), CatalogError> {
    match poster {
        Some(poster) => store::upsert(tx, id, poster).await?,
        None => store::delete(tx, id).await?,
    }
    Ok(programs::store::write_next(tx, id).await?)
}
