//! Stylesheets, scripts and pictures, embedded in the binary and served under a path that changes
//! with their content, so that browsers may cache them for ever.

use std::sync::LazyLock;

use actix_web::{HttpResponse, http::header, web};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use rust_embed::Embed;
use sha2::{Digest, Sha256};

use super::error::{NotFound, PageError};

#[derive(Embed)]
#[folder = "static/"]
struct Assets;

/// Version of all files together: a prefix of the hash of their contents, in hexadecimal.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    const VERSION_BYTES: usize = 6;
    let mut digest = Sha256::new();
    let mut names: Vec<_> = Assets::iter().collect();
    names.sort();
    for file in names.iter().filter_map(|name| Assets::get(name)) {
        digest.update(file.metadata.sha256_hash());
    }
    let hash = digest.finalize();
    hash.iter().take(VERSION_BYTES).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
});

/// Returns the address of the file `name`, such as `css/base.css`.
pub(crate) fn href(name: &str) -> String {
    format!("/static/{}/{name}", *VERSION)
}

/// Concatenates the files `names` into one `data:` URL, for a page that is kept as a file.
pub(crate) fn inlined(names: &[&str], mime: &str) -> String {
    let files = names.iter().filter_map(|name| Assets::get(name));
    let bytes: Vec<u8> = files.flat_map(|file| file.data.into_owned()).collect();
    format!("data:{mime};base64,{}", BASE64_STANDARD.encode(bytes))
}

/// `GET /static/{version}/{name}`: serves an embedded file.
pub(crate) async fn show_asset(
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, PageError> {
    let (version, name) = path.into_inner();
    let file = Assets::get(&name).ok_or(NotFound)?;
    // A page rendered before an update asks for an old version: it gets the current file, which
    // must not be cached under the old name.
    let cache_control = match version == *VERSION {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, content_type(file.metadata.mimetype())))
        .insert_header((header::CACHE_CONTROL, cache_control))
        .body(file.data))
}

fn content_type(mime: &str) -> String {
    match mime.starts_with("text/") {
        true => format!("{mime}; charset=utf-8"),
        false => mime.to_owned(),
    }
}
