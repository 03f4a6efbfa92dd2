//! Stylesheets, scripts and pictures, embedded in the binary and served under a path that changes
//! with their content, so that browsers may cache them for ever.
//!
//! A file is compressed once in the life of a process, when it is first asked for, as small as it gets:
//! it is asked for often, and a page is slow where its files are large.

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use actix_web::{HttpRequest, HttpResponse, http::header, web};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use rust_embed::{Embed, EmbeddedFile};
use sha2::{Digest, Sha256};

use super::{
    error::{NotFound, PageError},
    precompressed::Precompressed,
};

#[derive(Embed)]
#[folder = "static/"]
struct Assets;

/// File as it is served.
#[derive(Debug)]
struct Asset {
    bytes: Precompressed,
    mime: String,
}

/// All files by their names.
static ASSETS: LazyLock<BTreeMap<String, Asset>> = LazyLock::new(|| {
    let named = Assets::iter().filter_map(|name| Some((name.to_string(), Assets::get(&name)?)));
    named.map(|(name, file)| (name, Asset::of(file))).collect()
});

/// Version of all files together: a prefix of the hash of their contents, in hexadecimal.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    const VERSION_BYTES: usize = 6;
    let mut digest = Sha256::new();
    for asset in ASSETS.values() {
        digest.update(Sha256::digest(&asset.bytes.plain));
    }
    let hash = digest.finalize();
    hash.iter().take(VERSION_BYTES).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
});

impl Asset {
    fn of(file: EmbeddedFile) -> Self {
        let mime = file.metadata.mimetype();
        let mime = match mime.starts_with("text/") {
            true => format!("{mime}; charset=utf-8"),
            false => mime.to_owned(),
        };
        Self { bytes: file.data.into_owned().into(), mime }
    }
}

/// Returns the address of the file `name`, such as `css/base.css`.
pub(crate) fn href(name: &str) -> String {
    format!("/static/{}/{name}", *VERSION)
}

/// Returns the text of the file `name`; `None` if there is none.
pub(crate) fn text(name: &str) -> Option<Cow<'static, str>> {
    ASSETS.get(name).map(|file| String::from_utf8_lossy(&file.bytes.plain))
}

/// Concatenates the files `names` into one `data:` URL, for a page that is kept as a file.
pub(crate) fn inlined(names: &[&str], mime: &str) -> String {
    let files = names.iter().filter_map(|name| ASSETS.get(*name));
    let bytes: Vec<u8> = files.flat_map(|file| file.bytes.plain.to_vec()).collect();
    format!("data:{mime};base64,{}", BASE64_STANDARD.encode(bytes))
}

/// `GET /static/{version}/{name}`: serves an embedded file.
pub(crate) async fn show_asset(
    path: web::Path<(String, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let (version, name) = path.into_inner();
    let asset = ASSETS.get(&name).ok_or(NotFound)?;
    // A page rendered before an update asks for an old version: it gets the current file, which
    // must not be cached under the old name.
    let cache_control = match version == *VERSION {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_TYPE, asset.mime.as_str()))
        .insert_header((header::CACHE_CONTROL, cache_control));
    Ok(asset.bytes.send(&request, response))
}
