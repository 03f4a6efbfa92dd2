//! The OpenAPI document: the entries as JSON.

use std::collections::BTreeSet;

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::{
    entry::{DescribedAnswer, Entry, Parameter},
    groups::GROUPS,
};
use crate::{
    text::i18n::Locale,
    web::{
        error::ProblemCode,
        middleware::rendering::ProblemDocument,
        path::{described::AllowedBy, operation::HTML},
    },
};

/// Prefix of the schemas that describe one problem each.
const PROBLEM: &str = "Problem.";

/// Returns the named schemas: the schemas of `generator`, and one for each problem.
pub(super) fn schemas(
    codes: &BTreeSet<ProblemCode>,
    mut generator: SchemaGenerator,
) -> Map<String, Value> {
    let problem = generator.subschema_for::<ProblemDocument>().to_value();
    let mut schemas = generator.take_definitions(true);
    for code in codes {
        schemas.insert(format!("{PROBLEM}{}", code.code), problem_schema(code, &problem));
    }
    schemas
}

/// Returns the document of all `entries`.
pub(super) fn document(entries: &[Entry], schemas: &Map<String, Value>) -> Value {
    let (mut paths, mut responses) = (Map::new(), Map::new());
    for entry in entries {
        let path = paths.entry(entry.path.clone()).or_insert_with(|| json!({}));
        if let Value::Object(path) = path {
            path.insert(entry.method.clone(), operation(entry, &mut responses));
        }
    }
    let tags: Vec<Value> =
        GROUPS.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect();
    json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Stagedoor",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas, "responses": responses, "securitySchemes": security_schemes(),
        },
    })
}

const ABOUT: &str = "Every path answers people with pages and software with JSON. Send \
    `Accept: application/json`: without it a read is answered with a page, and a change with a redirect. \
    A body is a form or a JSON document with the same field names; a field that an operation does not know \
    is refused. A refusal is a problem document (RFC 9457) \
    whose `code` says what was refused. Times are RFC 3339 in UTC, points are whole numbers.";

fn operation(entry: &Entry, responses: &mut Map<String, Value>) -> Value {
    let mut answers: Map<String, Value> = entry
        .successes
        .iter()
        .map(|(status, answer)| (status.to_string(), success(*status, answer)))
        .collect();
    for (status, codes) in &entry.refusals {
        let names: Vec<&str> = codes.iter().map(|code| code.code).collect();
        let name = format!("{status}.{}", names.join("."));
        answers.insert(
            status.to_string(),
            json!({ "$ref": format!("#/components/responses/{name}") }),
        );
        responses.entry(name).or_insert_with(|| refusal(codes));
    }
    let mut document = Map::new();
    document.insert("operationId".to_owned(), json!(operation_id(entry)));
    document.insert("summary".to_owned(), json!(entry.summary));
    document.insert("tags".to_owned(), json!([entry.group]));
    document.insert("responses".to_owned(), answers.into());
    document.insert("security".to_owned(), security(&entry.access));
    if !entry.parameters.is_empty() {
        let parameters = entry.parameters.iter().map(parameter).collect();
        document.insert("parameters".to_owned(), parameters);
    }
    if !entry.body_types.is_empty() {
        let schema = entry.body.clone().unwrap_or_else(|| json!({ "type": "object" }));
        let contents: Map<String, Value> = entry
            .body_types
            .iter()
            .map(|media_type| ((*media_type).to_owned(), json!({ "schema": schema })))
            .collect();
        let is_required = schema.get("required").is_some();
        let body = json!({ "content": contents, "required": is_required });
        document.insert("requestBody".to_owned(), body);
    }
    document.into()
}

/// Returns a name for the operation, of its method and path: no two have the same.
pub(super) fn operation_id(entry: &Entry) -> String {
    let words =
        entry.path.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(entry.method.clone(), |id, word| id + "-" + word)
}

fn parameter(parameter: &Parameter) -> Value {
    let place: &'static str = parameter.place.into();
    json!({
        "name": parameter.name,
        "in": place,
        "required": parameter.is_required,
        "schema": parameter.schema,
    })
}

fn success(status: u16, answer: &DescribedAnswer) -> Value {
    let description = match status {
        201 => "Created.",
        202 => "Accepted; not complete yet.",
        204 => "Done; there is nothing to answer.",
        303 => "Redirects a browser to the page to show next.",
        304 => "Not modified: the client's copy is current.",
        _ => "Success.",
    };
    let contents: Map<String, Value> = answer
        .contents
        .iter()
        .map(|(media_type, schema)| {
            let content = match schema {
                Value::Null if media_type.ends_with("json") => json!({}),
                Value::Null => json!({ "schema": { "type": "string" } }),
                schema => json!({ "schema": schema }),
            };
            ((*media_type).to_owned(), content)
        })
        .collect();
    let mut document = Map::new();
    document.insert("description".to_owned(), json!(description));
    if !contents.is_empty() {
        document.insert("content".to_owned(), contents.into());
    }
    if status == 303 {
        let location = json!({ "required": true, "schema": { "type": "string" } });
        document.insert("headers".to_owned(), json!({ "Location": location }));
    }
    document.into()
}

/// Returns a problem by itself: the members of every problem document, and the members of the code.
fn problem_schema(code: &ProblemCode, problem: &Value) -> Value {
    let title = Locale::default().text(format!("error-{}-title", code.code)).to_string();
    let mut required = vec!["code", "status"];
    required.extend(code.members);
    // The schema of a member is open: any value.
    let mut properties: Map<String, Value> =
        code.members.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    properties.insert("code".to_owned(), json!({ "const": code.code }));
    properties.insert("status".to_owned(), json!({ "const": code.status }));
    json!({
        "description": title,
        "allOf": [problem],
        "properties": properties,
        "required": required,
    })
}

fn refusal(codes: &[ProblemCode]) -> Value {
    let names: Vec<String> = codes.iter().map(|code| format!("`{}`", code.code)).collect();
    let mut schemas: Vec<Value> = codes
        .iter()
        .map(|code| json!({ "$ref": format!("#/components/schemas/{PROBLEM}{}", code.code) }))
        .collect();
    let schema = match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({ "oneOf": schemas }),
    };
    json!({
        "description": format!("Refused: {}.", names.join(", ")),
        "content": {
            "application/problem+json": { "schema": schema },
            HTML: { "schema": { "type": "string" } },
        },
    })
}

fn security(access: &[AllowedBy]) -> Value {
    let alternatives = access.iter().map(|access| match scheme(*access) {
        None => json!({}),
        Some((name, scopes)) => json!({ name: scopes }),
    });
    alternatives.collect()
}

/// Returns the name of the security scheme, and the scopes that it takes; `None` where no session is
/// needed.
fn scheme(access: AllowedBy) -> Option<(&'static str, Vec<&'static str>)> {
    match access {
        AllowedBy::Visitor => None,
        AllowedBy::Session => Some(("session", Vec::new())),
        AllowedBy::ApiKey(scope) => Some(("api_key", vec![scope])),
        AllowedBy::RehearsalToken => Some(("rehearsal_token", Vec::new())),
    }
}

fn security_schemes() -> Value {
    json!({
        "session": {
            "type": "apiKey", "in": "cookie", "name": "session",
            "description": "Set by a log-in. Over https its name is `__Host-session`.",
        },
        "api_key": {
            "type": "http", "scheme": "bearer",
            "description": "API key, made by an administrator on the page of API keys. An operation names the scope that the key needs.",
        },
        "rehearsal_token": {
            "type": "http", "scheme": "bearer",
            "description": "`REHEARSAL_TOKEN` of the deployment. Without that setting the path does not exist.",
        },
    })
}
