//! Files of posters.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Bytes, Data, Path},
};
use moka::future::Cache;

use super::{PosterSize, UploadedPoster, store};
use crate::{
    app::{App, StaleRead},
    catalog::cache::may_be_a_name,
    infra::postgres::shared_read,
    web::{
        error::{NotFound, PageError},
        files::versioned_file::{FOR_EVER, versioned_file},
    },
};

/// Maximum age of a file in memory.
const FILE_TTL: Duration = Duration::from_secs(1);
/// Upper bound of the files that a process keeps in memory, and of what each takes beside, in bytes.
const CACHE_BYTES_MAX: u64 = 32 * 1024 * 1024;
const ENTRY_BYTES: usize = 1_024;

/// Files of posters by their paths, read within the last second.
#[derive(Clone, Debug)]
pub struct PosterCache(Cache<String, Option<Bytes>>);

impl Default for PosterCache {
    fn default() -> Self {
        let weight = |_: &String, file: &Option<Bytes>| {
            let bytes = file.as_ref().map_or(0, Bytes::len) + ENTRY_BYTES;
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(CACHE_BYTES_MAX).weigher(weight);
        Self(cache.time_to_live(FILE_TTL).build())
    }
}

/// `GET /posters/{slug}/{version}/{size}.jpg`: the poster that was uploaded. The poster of a draft is
/// served as well; only its editors know the version.
pub async fn show_poster(
    app: Data<App>,
    posters: Data<PosterCache>,
    request: HttpRequest,
    path: Path<(String, String, String)>,
) -> Result<HttpResponse, PageError> {
    let (slug, version, size) = &*path;
    let size: PosterSize = size.parse().map_err(|_unknown| NotFound)?;
    if !may_be_a_name(slug) || !may_be_a_name(version) {
        return Err(NotFound.into());
    }
    let read = async {
        let find = |db| async move { store::find_file(&db, slug, version, size).await };
        Ok(app.find_stale(StaleRead::Posters, find).await?.map(Bytes::from))
    };
    let key = UploadedPoster::new(slug, version).path(size);
    let file = posters.0.try_get_with(key, shared_read(read)).await?.ok_or(NotFound)?;
    let etag = format!("{version}-{}", size.as_ref());
    Ok(versioned_file(&request, etag, FOR_EVER, "image/jpeg", file))
}
