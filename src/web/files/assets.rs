//! Stylesheets, scripts and pictures, embedded in the binary and served under a path that changes
//! with their content, so that browsers may cache them for ever.
//!
//! A file is compressed once in the life of a process, when it is first asked for, as small as it gets:
//! it is asked for often, and a page is slow where its files are large.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, Write},
    sync::{LazyLock, OnceLock},
};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, AcceptEncoding, ContentEncoding, Encoding, Header},
    web::{self, Bytes},
};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};
use rust_embed::{Embed, EmbeddedFile};
use sha2::{Digest, Sha256};

use crate::web::error::{NotFound, PageError};

/// Size of a file that is compressed quickly, and the quality of that.
const LARGE_BYTES: usize = 256 * 1024;
const QUICK_QUALITY: i32 = 5;

#[derive(Embed)]
#[folder = "../../static/"]
struct Assets;

/// File as it is served.
#[derive(Debug)]
struct Asset {
    plain: Bytes,
    mime: String,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
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
        digest.update(Sha256::digest(&asset.plain));
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
        let plain = Bytes::from(file.data.into_owned());
        Self { plain, mime, brotli: OnceLock::new(), gzip: OnceLock::new() }
    }

    /// Returns the file in a coding that the client takes, the smallest one first.
    fn encoded(&self, accepted: &AcceptEncoding) -> (ContentEncoding, Bytes) {
        let codings = [Encoding::brotli(), Encoding::gzip(), Encoding::identity()];
        match accepted.negotiate(codings.iter()) {
            Some(Encoding::Known(ContentEncoding::Brotli)) => {
                (ContentEncoding::Brotli, self.in_coding(&self.brotli, brotli))
            }
            Some(Encoding::Known(ContentEncoding::Gzip)) => {
                (ContentEncoding::Gzip, self.in_coding(&self.gzip, gzip))
            }
            _ => (ContentEncoding::Identity, self.plain.clone()),
        }
    }

    /// Returns what `kept` has, or compresses the file for it. Writing to memory does not fail.
    fn in_coding(
        &self,
        kept: &OnceLock<Bytes>,
        compress: fn(&[u8]) -> io::Result<Vec<u8>>,
    ) -> Bytes {
        kept.get_or_init(|| compress(&self.plain).unwrap_or_default().into()).clone()
    }
}

fn brotli(plain: &[u8]) -> io::Result<Vec<u8>> {
    // The slowest and smallest there is, which is the default, would take seconds for a large file.
    let usual = BrotliEncoderParams::default();
    let quality = if plain.len() > LARGE_BYTES { QUICK_QUALITY } else { usual.quality };
    let params = BrotliEncoderParams { quality, size_hint: plain.len(), ..usual };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut &*plain, &mut small, &params)?;
    Ok(small)
}

fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut small = GzEncoder::new(Vec::new(), Compression::best());
    small.write_all(plain)?;
    small.finish()
}

/// Returns the address of the file `name`, such as `css/base.css`.
pub fn href(name: &str) -> String {
    format!("/static/{}/{name}", *VERSION)
}

/// Returns the text of the file `name`; `None` if there is none.
pub fn text(name: &str) -> Option<Cow<'static, str>> {
    ASSETS.get(name).map(|file| String::from_utf8_lossy(&file.plain))
}

/// Concatenates the files `names` into one `data:` URL, for a page that is kept as a file.
pub fn inlined(names: &[&str], mime: &str) -> String {
    let files = names.iter().filter_map(|name| ASSETS.get(*name));
    let bytes: Vec<u8> = files.flat_map(|file| file.plain.to_vec()).collect();
    format!("data:{mime};base64,{}", BASE64_STANDARD.encode(bytes))
}

/// `GET /static/{version}/{name}`: serves an embedded file.
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn show_asset(
    path: web::Path<(String, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let (version, name) = &*path;
    let asset = ASSETS.get(name).ok_or(NotFound)?;
    // A page rendered before an update asks for an old version: it gets the current file, which
    // must not be cached under the old name.
    let cache_control = match *version == *VERSION {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let accepted = AcceptEncoding::parse(&request).unwrap_or_else(|_| AcceptEncoding(Vec::new()));
    let (coding, bytes) = asset.encoded(&accepted);
    let mut response = HttpResponse::Ok();
    if coding != ContentEncoding::Identity {
        response.insert_header(coding);
    }
    Ok(response
        .insert_header((header::CONTENT_TYPE, asset.mime.as_str()))
        .insert_header((header::CACHE_CONTROL, cache_control))
        .insert_header((header::VARY, "accept-encoding"))
        .body(bytes))
}
