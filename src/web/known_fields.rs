//! Fields that a body may have.
//!
//! A body with another field is refused, and the refusal names the field: a client that sends a field
//! expects it to change something, and an act that ignored it could not be undone. The fields of a type
//! are those of its JSON schema, which the API reference shows too.

use std::{
    any::TypeId,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use actix_web::{
    Error, HttpResponse,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::form::{Body, Mistakes};

/// Bound on characters of an unknown field's name in its refusal.
const NAME_CHARS_MAX: usize = 100;

/// Names of one type's fields; `None` for a map, which takes any.
type Known = Option<BTreeSet<String>>;

/// Known fields of each type that was read as a body. Its size is bounded by the number of such types.
static KNOWN: LazyLock<RwLock<HashMap<TypeId, Arc<Known>>>> = LazyLock::new(RwLock::default);

/// Body of a route that takes none.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct NoFields {}

/// Refuses the first of `names` that is no field of `T`.
pub(super) fn refuse_unknown<'a, T: JsonSchema + 'static>(
    mut names: impl Iterator<Item = &'a str>,
) -> Result<(), Mistakes> {
    let known = fields_of::<T>();
    let Some(known) = known.as_ref() else { return Ok(()) };
    match names.find(|name| !known.contains(*name)) {
        None => Ok(()),
        Some(name) => Err(Mistakes::of_unknown(name.chars().take(NAME_CHARS_MAX).collect())),
    }
}

fn fields_of<T: JsonSchema + 'static>() -> Arc<Known> {
    let id = TypeId::of::<T>();
    let found = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
    found.unwrap_or_else(|| {
        let known = Arc::new(read_fields::<T>());
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&known));
        known
    })
}

fn read_fields<T: JsonSchema>() -> Known {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let takes_any = schema.get("additionalProperties").is_some_and(|more| more != false);
    let fields = schema.get("properties").and_then(Value::as_object);
    (!takes_any).then(|| fields.into_iter().flatten().map(|(name, _)| name.clone()).collect())
}

/// Returns the names of a JSON object's members; none if `body` is no object.
pub(super) fn of_json(body: &[u8]) -> Vec<String> {
    let members = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(body);
    members.unwrap_or_default().into_keys().collect()
}

/// Returns the names of a form's fields.
pub(super) fn of_form(body: &[u8]) -> Vec<String> {
    let fields = serde_html_form::from_bytes::<Vec<(String, String)>>(body);
    fields.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

/// Refuses a body with fields, for a handler that reads none.
pub(super) async fn refuse_all(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    match request.extract::<Body<NoFields>>().await {
        Ok(_) => Ok(next.call(request).await?.map_into_left_body()),
        Err(refused) => {
            Ok(request.into_response(HttpResponse::from_error(refused)).map_into_right_body())
        }
    }
}
