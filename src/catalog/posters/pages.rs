//! Files of posters.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Bytes, Data, Path},
};

use super::{Posters, store};
use crate::{
    app::App,
    catalog::cache::may_be_a_name,
    infra::postgres::shared_read,
    web::{
        error::{NotFound, PageError},
        poster::upload::{PosterSize, UploadedPoster},
        versioned_file::{FOR_EVER, versioned_file},
    },
};

/// `GET /posters/{slug}/{version}/{size}.jpg`: the poster that was uploaded. Whoever prepares a draft sees
/// it too; nobody else knows its version.
pub(crate) async fn show_poster(
    app: Data<App>,
    posters: Data<Posters>,
    request: HttpRequest,
    path: Path<(String, String, String)>,
) -> Result<HttpResponse, PageError> {
    let (slug, version, size) = path.into_inner();
    let size: PosterSize = size.parse().map_err(|_unknown| NotFound)?;
    if !may_be_a_name(&slug) || !may_be_a_name(&version) {
        return Err(NotFound.into());
    }
    let read = async {
        let file = store::find_file(&app.db, &slug, &version, size).await?;
        Ok(file.map(Bytes::from))
    };
    let key = UploadedPoster::new(&slug, &version).path(size);
    let file = posters.0.try_get_with(key, shared_read(read)).await?.ok_or(NotFound)?;
    let etag = format!("{version}-{}", size.as_ref());
    Ok(versioned_file(&request, etag, FOR_EVER, "image/jpeg", file))
}
