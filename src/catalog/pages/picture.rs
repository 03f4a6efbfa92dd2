//! Picture of a program, for links that are shared: its poster, or the drawing of one without.

use actix_web::{
    HttpResponse,
    http::header,
    web::{Data, Path},
};

use crate::{
    app::App,
    catalog::{Program, Programs, posters::PosterSize},
    web::{
        error::{NotFound, PageError, Unavailable},
        files::versioned_file::{FOR_EVER, NOT_KEPT},
        poster::{Poster, picture::SIZE},
    },
};

/// Picture that a link to a program shows.
#[derive(Clone, Debug)]
pub struct LinkPicture {
    /// Path, which changes with the picture.
    pub path: String,
    pub media_type: &'static str,
    pub width: u32,
    pub height: u32,
}

impl LinkPicture {
    /// Returns the poster that was uploaded for the program, or its drawing.
    pub fn of(program: &Program) -> Self {
        if let Some(upload) = program.upload() {
            let path = upload.path(PosterSize::Large);
            let (width, height) = PosterSize::Large.pixels();
            return Self { path, media_type: "image/jpeg", width, height };
        }
        let version = Poster::of_program(program.poster_number, &program.slug).version();
        let (path, (width, height)) = (format!("/posters/{}/{version}.png", program.slug), SIZE);
        Self { path, media_type: "image/png", width, height }
    }
}

/// Handles `GET /posters/{slug}/{version}.png`. Another version than the current one gets the current
/// picture, which must not be kept under the old name.
pub async fn show_picture(
    app: Data<App>,
    programs: Data<Programs>,
    path: Path<(String, String)>,
) -> Result<HttpResponse, PageError> {
    let (slug, version) = &*path;
    let found = programs.find(&app, slug).await?;
    let shown = found.ok_or(NotFound)?;
    let poster = Poster::of_program(shown.poster_number, &shown.slug);
    let cache_control = match *version == poster.version() {
        true => FOR_EVER,
        false => NOT_KEPT,
    };
    let picture = poster.picture().await.ok_or(Unavailable)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "image/png"))
        .insert_header((header::CACHE_CONTROL, cache_control))
        .body(picture))
}
