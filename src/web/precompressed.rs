//! Bytes that are sent often and compressed once, as small as they get.

use std::{
    io::{self, Write},
    sync::OnceLock,
};

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::header::{self, AcceptEncoding, ContentEncoding, Encoding, Header},
    web::Bytes,
};
use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};

/// Body of an answer with its compressed forms, which are made when they are first asked for.
#[derive(Debug)]
pub(crate) struct Precompressed {
    /// The bytes themselves.
    pub plain: Bytes,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
}

impl From<Vec<u8>> for Precompressed {
    fn from(plain: Vec<u8>) -> Self {
        Self { plain: plain.into(), brotli: OnceLock::new(), gzip: OnceLock::new() }
    }
}

impl Precompressed {
    /// Completes `response` with the bytes in a coding that `request` accepts, the smallest one first.
    pub(crate) fn send(
        &self,
        request: &HttpRequest,
        mut response: HttpResponseBuilder,
    ) -> HttpResponse {
        let accepted = AcceptEncoding::parse(request);
        let (coding, bytes) =
            self.encoded(&accepted.unwrap_or_else(|_| AcceptEncoding(Vec::new())));
        if coding != ContentEncoding::Identity {
            response.insert_header(coding);
        }
        response.insert_header((header::VARY, "accept-encoding")).body(bytes)
    }

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

    /// Returns what `kept` has, or compresses the bytes for it. Writing to memory does not fail.
    fn in_coding(
        &self,
        kept: &OnceLock<Bytes>,
        compress: fn(&[u8]) -> io::Result<Vec<u8>>,
    ) -> Bytes {
        kept.get_or_init(|| compress(&self.plain).unwrap_or_default().into()).clone()
    }
}

fn brotli(plain: &[u8]) -> io::Result<Vec<u8>> {
    // The slowest and smallest there is, which is the default.
    let params = BrotliEncoderParams { size_hint: plain.len(), ..BrotliEncoderParams::default() };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut &*plain, &mut small, &params)?;
    Ok(small)
}

fn gzip(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut small = GzEncoder::new(Vec::new(), Compression::best());
    small.write_all(plain)?;
    small.finish()
}
