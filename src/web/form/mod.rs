//! Request bodies: forms and JSON documents with the same field names.
//!
//! A form struct holds [`Field`]s, which accept any text. Its `parse` returns a typed command or
//! the [`Mistakes`] of the fields that were refused. A form with a file is [`mod@file`], a typed time
//! [`local_time`].

pub mod file;
mod known_fields;
pub mod local_time;
mod refusal;

use std::{borrow::Cow, str::FromStr};

use actix_multipart::Multipart;
use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, web::Bytes};
use futures_util::{TryStreamExt, future::LocalBoxFuture};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize,
    de::{
        DeserializeOwned,
        value::{self, MapDeserializer},
    },
};
use serde_json::{Map, Value, json};

use self::known_fields::find_unknown;
pub use self::refusal::FormRefusal;
use super::{
    error::{BadRequest, HttpError, PageError, Problem, UnsupportedMediaType, problems},
    negotiation,
};
use crate::text::{
    charset::{self, Charset},
    typed::compose,
};

/// Content type of a form with a file.
const MULTIPART: &str = "multipart/form-data";

/// Body deserialized into `T`, from a form (with or without a file) or from JSON. A field that `T` does
/// not have is refused: see [`known_fields`].
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + 'static> FromRequest for Body<T> {
    type Error = PageError;
    type Future = LocalBoxFuture<'static, Result<Self, PageError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if request.content_type() == MULTIPART {
            let parts = Multipart::new(request.headers(), payload.take());
            return Box::pin(async move {
                let fields = collect(parts).await?;
                refuse_unknown::<T>(fields.iter().map(|(name, _)| name.as_str()))?;
                let fields = MapDeserializer::<_, value::Error>::new(fields.into_iter());
                T::deserialize(fields).ok().map(Self).ok_or_else(|| BadRequest.into())
            });
        }
        let is_json = negotiation::sends_json(request);
        let content_type = request.content_type().to_owned();
        let bytes = Bytes::from_request(request, payload);
        Box::pin(async move {
            let bytes = bytes.await.map_err(|error| {
                tracing::debug!(%error, "a body cannot be read");
                BadRequest
            })?;
            let (parsed, names) = if is_json {
                // A JSON array would be read as the fields in their order, and an empty one as a
                // form that leaves everything out.
                let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
                let parsed = is_object.then(|| serde_json::from_slice(&bytes).ok()).flatten();
                (parsed, known_fields::of_json(&bytes))
            } else if content_type == "application/x-www-form-urlencoded" || bytes.is_empty() {
                (serde_html_form::from_bytes(&bytes).ok(), known_fields::of_form(&bytes))
            } else {
                return Err(UnsupportedMediaType.into());
            };
            let parsed = parsed.ok_or(BadRequest)?;
            refuse_unknown::<T>(names.iter().map(String::as_str))?;
            Ok(Self(parsed))
        })
    }
}

/// Refuses a body with a field that `T` does not have, and names the first.
fn refuse_unknown<'a, T: JsonSchema + 'static>(
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Mistakes> {
    find_unknown::<T>(names).map_or(Ok(()), |name| Err(Mistakes::of_unknown(name)))
}

/// Collects the parts of an upload as fields; a file becomes a field that holds its text. The charset of a
/// part that is not UTF-8 becomes the field `NAME_charset` beside it.
async fn collect(parts: Multipart) -> Result<Vec<(String, String)>, PageError> {
    let mut fields = Vec::new();
    for (name, bytes) in parts_of(parts).await? {
        let (text, charset) = charset::decode(bytes);
        if charset != Charset::Utf8 {
            fields.push((format!("{name}_charset"), charset.as_ref().to_owned()));
        }
        fields.push((name, text));
    }
    Ok(fields)
}

/// Returns the parts of an upload in their order; a name that occurs twice is refused. The body's size
/// was bounded when it was received.
async fn parts_of(mut parts: Multipart) -> Result<Vec<(String, Vec<u8>)>, PageError> {
    let unreadable = |error: actix_multipart::MultipartError| {
        tracing::debug!(%error, "an upload cannot be read");
        PageError::from(BadRequest)
    };
    let mut fields: Vec<(String, Vec<u8>)> = Vec::new();
    while let Some(mut part) = parts.try_next().await.map_err(unreadable)? {
        let Some(name) = part.name().map(str::to_owned) else { continue };
        if fields.iter().any(|(other, _)| *other == name) {
            return Err(BadRequest.into());
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = part.try_next().await.map_err(unreadable)? {
            bytes.extend_from_slice(&chunk);
        }
        fields.push((name, bytes));
    }
    Ok(fields)
}

/// One value as it was sent: a form's text, or a JSON string, number or boolean. A field that was
/// not sent is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Scalar")]
pub struct Field {
    sent: String,
    /// Text in its composed form; `None` where it was sent so.
    composed: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Whole(i64),
    Natural(u64),
    Real(f64),
    Flag(bool),
    Nothing(()),
}

impl From<Scalar> for Field {
    fn from(scalar: Scalar) -> Self {
        Self::of_sent(match scalar {
            Scalar::Text(text) => text,
            Scalar::Whole(number) => number.to_string(),
            Scalar::Natural(number) => number.to_string(),
            // The debug format keeps the decimal point, so that 1e3 does not parse as an integer.
            Scalar::Real(number) => format!("{number:?}"),
            Scalar::Flag(flag) => flag.to_string(),
            Scalar::Nothing(()) => String::new(),
        })
    }
}

impl JsonSchema for Field {
    fn schema_name() -> Cow<'static, str> {
        "Field".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean", "null"] })
    }
}

impl Field {
    /// Returns a field that holds `text`, for a form that the server fills in.
    pub fn of(text: impl std::fmt::Display) -> Self {
        Self::of_sent(text.to_string())
    }

    fn of_sent(sent: String) -> Self {
        let composed = match compose(&sent) {
            Cow::Borrowed(_) => None,
            Cow::Owned(composed) => Some(composed),
        };
        Self { sent, composed }
    }

    /// Returns the text as it is kept and compared: composed, without surrounding whitespace.
    pub fn text(&self) -> &str {
        self.raw().trim()
    }

    /// Returns the composed text with the whitespace around it.
    pub fn raw(&self) -> &str {
        self.composed.as_deref().unwrap_or(&self.sent)
    }

    /// Returns the text as it was sent: a password may begin with a blank, and its hash is of its bytes.
    pub fn sent(&self) -> &str {
        &self.sent
    }

    /// Whether the field is missing or blank.
    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// Returns the value of a box to check, which a form leaves out unless it is checked; `None` for
    /// any other text.
    pub fn flag(&self) -> Option<bool> {
        match self.text() {
            "" | "false" => Some(false),
            "on" | "true" => Some(true),
            _ => None,
        }
    }

    /// Parses the trimmed text; `None` if it is no `T`.
    pub fn parse<T: FromStr>(&self) -> Option<T> {
        self.text().parse().ok()
    }
}

/// One value or a list of them: a form repeats the field, JSON has an array.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "OneOrMany")]
pub struct Fields(pub Vec<Field>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    Many(Vec<Field>),
    One(Field),
}

impl From<OneOrMany> for Fields {
    fn from(sent: OneOrMany) -> Self {
        match sent {
            OneOrMany::Many(fields) => Self(fields),
            OneOrMany::One(field) => Self(vec![field]),
        }
    }
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let field = Field::json_schema(generator);
        json_schema!({ "anyOf": [{ "type": "array", "items": field }, field] })
    }
}

/// Refused fields, each with the locale key of the reason.
#[derive(Clone, Debug, Default, thiserror::Error)]
#[error("fields that make no sense: {0:?}")]
pub struct Mistakes(Vec<(Cow<'static, str>, &'static str)>);

impl Mistakes {
    /// Returns the mistake of a single field.
    pub fn one(name: &'static str, reason: &'static str) -> Self {
        Self(vec![(Cow::Borrowed(name), reason)])
    }

    /// Returns the mistake of a field whose name the client chose.
    fn of_unknown(name: String) -> Self {
        Self(vec![(Cow::Owned(name), "common-refusal-unknown-field")])
    }

    /// Returns `value`, and notes the field if it is `None`.
    pub fn note<T>(
        &mut self,
        name: &'static str,
        reason: &'static str,
        value: Option<T>,
    ) -> Option<T> {
        if value.is_none() {
            self.0.push((Cow::Borrowed(name), reason));
        }
        value
    }

    /// Returns the command if no field was noted; `self` otherwise.
    pub fn or<T>(self, command: Option<T>) -> Result<T, Self> {
        match command {
            Some(command) if self.0.is_empty() => Ok(command),
            _ => Err(self),
        }
    }

    /// Whether no field was refused.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lists the locale keys of all reasons.
    pub fn reasons(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(_, reason)| *reason)
    }

    /// Returns the locale key of the first reason `name` was refused for.
    pub fn of(&self, name: &str) -> Option<&'static str> {
        self.0.iter().find(|(field, _)| *field == name).map(|(_, reason)| *reason)
    }
}

problems! {
    /// Refusal of a request for its fields.
    pub enum FieldsError {
        /// Fields are missing, unknown, or out of their ranges; each with the locale key of the reason.
        Invalid { fields: Map<String, Value> } = 422 "invalid" { fields },
    }
}

impl HttpError for Mistakes {
    fn problem(&self) -> Problem {
        let fields =
            self.0.iter().map(|(name, reason)| (name.to_string(), json!(reason))).collect();
        FieldsError::Invalid { fields }.problem()
    }
}
