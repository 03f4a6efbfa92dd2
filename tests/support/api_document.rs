//! The OpenAPI document, and answers compared with it.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};
use stagedoor::routes;

use super::Answer;

/// The document, as every instance serves it.
pub static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_slice(routes::api_reference().document()).unwrap());

/// Schemas that answers were compared with, by their places in the document.
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Returns the path of the document that `path` matches, the most literal one; `None` if it matches none.
fn template_of(path: &str) -> Option<&'static str> {
    let paths = DOCUMENT["paths"].as_object().unwrap().keys();
    let matching = paths.filter(|template| matches(template, path));
    // Of two with as many names, the longer one says more.
    let literal = matching
        .min_by_key(|template| (template.matches('{').count(), std::cmp::Reverse(template.len())));
    literal.map(String::as_str)
}

/// Whether `path` is one of `template`.
fn matches(template: &str, path: &str) -> bool {
    let Some((before, rest)) = template.split_once('{') else { return template == path };
    let Some(path) = path.strip_prefix(before) else { return false };
    let (name, after) = rest.split_once('}').unwrap();
    // These two names hold slashes.
    let is_rest = ["path", "name"].contains(&name);
    let mut lengths = path.char_indices().map(|(idx, sign)| idx + sign.len_utf8());
    lengths.any(|length| {
        let (value, tail) = path.split_at(length);
        (is_rest || !value.contains('/')) && matches(after, tail)
    })
}

/// Whether a body of `method` on `path` may have `field`.
pub fn takes_field(method: &Method, path: &str, field: &str) -> bool {
    let Some(template) = template_of(path) else { return false };
    let operation = &DOCUMENT["paths"][template][method.as_str().to_lowercase()];
    let contents = operation["requestBody"]["content"].as_object();
    contents.is_some_and(|contents| {
        contents.values().any(|content| !content["schema"]["properties"][field].is_null())
    })
}

/// Compares an answer with the document; `Err` says what the document lacks.
pub fn compare(method: &Method, path: &str, answer: &Answer) -> Result<(), String> {
    let Some(template) = template_of(path) else { return Ok(()) };
    let is_head = method == Method::HEAD;
    let name = if is_head { "get".to_owned() } else { method.as_str().to_lowercase() };
    let operation = &DOCUMENT["paths"][template][&name];
    if operation.is_null() {
        let refused = [403, 405].contains(&answer.status);
        return if refused { Ok(()) } else { Err(format!("{name} {template} is not described")) };
    }
    let status = answer.status.to_string();
    let place = format!("{name} {template} {status}");
    let mut described = &operation["responses"][&status];
    if let Some(reference) = described["$ref"].as_str() {
        described = DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap();
    }
    if described.is_null() {
        return Err(format!("{place} {} is not described", answer.code()));
    }
    if is_head || answer.body.is_empty() {
        return Ok(());
    }
    let media_type = answer.header("content-type").split(';').next().unwrap_or_default();
    let content = &described["content"][media_type];
    if content.is_null() {
        return Err(format!("{place} {media_type} is not described"));
    }
    if !media_type.ends_with("json") || content["schema"].is_null() {
        return Ok(());
    }
    let validator = validator(&format!("{place} {media_type}"), &content["schema"]);
    let document = answer.json();
    let faults: Vec<String> =
        validator.iter_errors(&document).map(|fault| format!("{fault}")).collect();
    match faults.is_empty() {
        true => Ok(()),
        false => {
            Err(format!("{place} {} has another schema: {}", answer.code(), faults.join("; ")))
        }
    }
}

fn validator(place: &str, schema: &Value) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap();
    let made = validators.entry(place.to_owned()).or_insert_with(|| {
        let root = json!({ "allOf": [schema], "components": DOCUMENT["components"] });
        Arc::new(jsonschema::draft202012::new(&root).unwrap())
    });
    Arc::clone(made)
}
