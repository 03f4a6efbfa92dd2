//! Picture of a program's poster, for links that are shared.

use actix_web::{
    HttpResponse,
    http::header,
    web::{Data, Path},
};

use crate::{
    app::App,
    catalog::Programs,
    web::{
        error::{NotFound, PageError, Unavailable},
        poster::Poster,
    },
};

/// Returns the path of the picture of the program named `slug`, whose number in order of making is
/// `number`. It changes with the drawing.
pub(crate) fn picture_path(number: i32, slug: &str) -> String {
    format!("/posters/{slug}/{}.png", Poster::of_program(number, slug).version())
}

/// Handles `GET /posters/{slug}/{version}.png`. Another version than the current one gets the current
/// picture, which must not be kept under the old name.
pub(crate) async fn show_picture(
    app: Data<App>,
    programs: Data<Programs>,
    path: Path<(String, String)>,
) -> Result<HttpResponse, PageError> {
    let (slug, version) = path.into_inner();
    let found = programs.find(&app, &slug).await?;
    let shown = found.ok_or(NotFound)?;
    let poster = Poster::of_program(shown.poster_number, &shown.slug);
    let cache_control = match version == poster.version() {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let picture = poster.picture().await.ok_or(Unavailable)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "image/png"))
        .insert_header((header::CACHE_CONTROL, cache_control))
        .body(picture))
}
