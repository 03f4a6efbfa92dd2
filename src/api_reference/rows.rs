//! Schemas as rows that people read: a name, words for its type, and its meaning.

use serde_json::{Map, Value};

use super::entry::requires;

/// Rows of one document. Deeper members are in the OpenAPI document alone.
const ROWS_MAX: usize = 60;
/// Documents inside documents that rows are made of.
const DEPTH_MAX: usize = 3;
/// Types that are named. A value of more types is a field, which takes any of them as text.
const KINDS_MAX: usize = 2;
/// Values of an enumeration that are named.
const VALUES_MAX: usize = 12;

/// Member of a document, or a parameter.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Name with its way: `seats[].price`.
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) is_required: bool,
    pub(super) about: String,
}

impl Row {
    /// Makes the row of a value that `schema` describes.
    pub(super) fn of(
        name: &str,
        schema: &Value,
        is_required: bool,
        schemas: &Map<String, Value>,
    ) -> Self {
        let target = resolve(schema, schemas);
        let about = text(schema, "description").or_else(|| text(target, "description"));
        Self {
            name: name.to_owned(),
            kind: kind(schema, schemas),
            is_required,
            about: about.unwrap_or_default().replace('`', ""),
        }
    }
}

/// Lists the members of the document that `schema` describes, and of documents in it.
pub(super) fn rows(schema: &Value, schemas: &Map<String, Value>) -> Vec<Row> {
    let mut rows = Vec::new();
    collect(&mut rows, "", schema, schemas, 0);
    rows
}

fn collect(
    rows: &mut Vec<Row>,
    way: &str,
    schema: &Value,
    schemas: &Map<String, Value>,
    depth: usize,
) {
    let schema = resolve(schema, schemas);
    if let Some(items) = schema.get("items") {
        return collect(rows, &format!("{way}[]"), items, schemas, depth);
    }
    for part in parts(schema, "allOf").chain(parts(schema, "anyOf")).chain(parts(schema, "oneOf")) {
        if depth < DEPTH_MAX {
            collect(rows, way, part, schemas, depth + 1);
        }
    }
    let members = schema.get("properties").and_then(Value::as_object);
    for (name, member) in members.into_iter().flatten() {
        if rows.len() >= ROWS_MAX {
            return;
        }
        let name_there = if way.is_empty() { name.clone() } else { format!("{way}.{name}") };
        if rows.iter().any(|row| row.name == name_there) {
            continue;
        }
        rows.push(Row::of(&name_there, member, requires(schema, name), schemas));
        if depth < DEPTH_MAX {
            collect(rows, &name_there, member, schemas, depth + 1);
        }
    }
}

/// Returns the words for the type of a value.
fn kind(schema: &Value, schemas: &Map<String, Value>) -> String {
    let schema = resolve(schema, schemas);
    if let Some(value) = schema.get("const") {
        return plain(value);
    }
    let values = schema.get("enum").and_then(Value::as_array);
    if let Some(values) = values {
        let named: Vec<String> = values.iter().take(VALUES_MAX).map(plain).collect();
        return named.join(" | ");
    }
    if schema.get("type").and_then(Value::as_array).is_some_and(|kinds| kinds.len() > KINDS_MAX) {
        return "value".to_owned();
    }
    let mut kinds: Vec<String> = match schema.get("type") {
        Some(Value::String(kind)) => vec![typed(kind, schema, schemas)],
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            kinds.map(|kind| typed(kind, schema, schemas)).collect()
        }
        _ => Vec::new(),
    };
    let parts = ["anyOf", "oneOf"].into_iter().flat_map(|name| parts(schema, name));
    for part in parts {
        let kind = kind(part, schemas);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() { "any".to_owned() } else { kinds.join(" | ") }
}

fn typed(kind: &str, schema: &Value, schemas: &Map<String, Value>) -> String {
    let format = schema.get("format").and_then(Value::as_str);
    match (kind, format, schema.get("items")) {
        ("array", _, Some(items)) => format!("[{}]", self::kind(items, schemas)),
        ("string", Some(format), _) => format.to_owned(),
        _ => kind.to_owned(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn text(schema: &Value, name: &str) -> Option<String> {
    schema.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn parts<'a>(schema: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    schema.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the schema that `schema` names, or itself.
fn resolve<'a>(schema: &'a Value, schemas: &'a Map<String, Value>) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str);
    let name = name.and_then(|path| path.strip_prefix("#/components/schemas/"));
    name.and_then(|name| schemas.get(name)).unwrap_or(schema)
}
