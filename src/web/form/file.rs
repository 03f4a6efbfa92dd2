//! Form with a file of any bytes and the version of what the file belongs to.

use std::borrow::Cow;

use actix_multipart::Multipart;
use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload};
use futures_util::future::LocalBoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Field, MULTIPART, parts_of, refuse_unknown};
use crate::web::error::{PageError, UnsupportedMediaType};

/// File with the version that was shown; the file is empty where none was chosen.
#[derive(Debug)]
pub struct FileBody {
    /// Content of the file.
    pub file: Vec<u8>,
    /// Version that was shown.
    pub version: Field,
}

impl FromRequest for FileBody {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if request.content_type() != MULTIPART {
            return Box::pin(async { Err(UnsupportedMediaType.into()) });
        }
        let parts = Multipart::new(request.headers(), payload.take());
        Box::pin(async move {
            let mut body = Self { file: Vec::new(), version: Field::default() };
            let parts = parts_of(parts).await?;
            refuse_unknown::<Self>(parts.iter().map(|(name, _)| name.as_str()))?;
            for (name, bytes) in parts {
                match name.as_str() {
                    "file" => body.file = bytes,
                    "version" => body.version = Field::of(String::from_utf8_lossy(&bytes)),
                    _ => {}
                }
            }
            Ok(body)
        })
    }
}

impl JsonSchema for FileBody {
    fn schema_name() -> Cow<'static, str> {
        "FileBody".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let version = Field::json_schema(generator);
        json_schema!({
            "type": "object",
            "properties": {
                "file": { "type": "string", "format": "binary", "description": "The file." },
                "version": version,
            },
            "required": ["file", "version"],
        })
    }
}
