//! Fields that a body may have.
//!
//! A body with another field is refused, and the refusal names the field: a client that sends a field
//! expects it to change something, and an act that ignored it could not be undone. The fields of a type are
//! the fields of its JSON schema, which the API reference shows too.

use std::{
    any::TypeId,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

/// Bound on characters of an unknown field's name in its refusal.
const NAME_CHARS_MAX: usize = 100;

/// Field that every body may have: clients send a key with each change, and a change that stores no key is
/// distinguished from its repetition by its effect.
const REQUEST_KEY: &str = "request_key";

/// Names of one type's fields; `None` for a map, which takes any.
type Known = Option<BTreeSet<String>>;

/// Known fields of each type that was read as a body. Its size is bounded by the number of such types.
static KNOWN: LazyLock<RwLock<HashMap<TypeId, Arc<Known>>>> = LazyLock::new(RwLock::default);

/// Returns the first of `names` that is no field of `T`, shortened; `None` if all are. An empty name is none:
/// some clients write an empty form as `=`.
pub(super) fn find_unknown<'a, T: JsonSchema + 'static>(
    mut names: impl Iterator<Item = &'a str>,
) -> Option<String> {
    let known = fields_of::<T>();
    let known = known.as_ref().as_ref()?;
    let is_known = |name: &str| name.is_empty() || name == REQUEST_KEY || known.contains(name);
    let name = names.find(|name| !is_known(name))?;
    Some(name.chars().take(NAME_CHARS_MAX).collect())
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
    let members = serde_json::from_slice::<BTreeMap<String, Value>>(body);
    members.unwrap_or_default().into_keys().collect()
}

/// Returns the names of a form's fields.
pub(super) fn of_form(body: &[u8]) -> Vec<String> {
    let fields = serde_html_form::from_bytes::<Vec<(String, String)>>(body);
    fields.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}
