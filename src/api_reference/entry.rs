//! One operation with all facts about it: from its row in the URL table and from the types of its
//! handler's arguments.

use std::collections::BTreeMap;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::{
    accounts::AccountError,
    web::{
        error::{KitError, ProblemCode, codes},
        path::{
            DescribedMethod, Path,
            described::{AllowedBy, Facts},
            operation::JSON,
        },
    },
};

/// Media type of a form.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// Refusal that leads a browser to the log-in.
const LOGIN_REQUIRED: &[ProblemCode] = codes![AccountError::LoginRequired];

/// Place of a parameter in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum ParameterPlace {
    Path,
    Query,
    Header,
}

/// Parameter of an operation.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) place: ParameterPlace,
    pub(super) is_required: bool,
    pub(super) schema: Value,
}

/// Successful answer with one status, in all its media types.
#[derive(Clone, Debug, Default)]
pub(super) struct DescribedAnswer {
    /// Schema by media type; null where the type is not JSON.
    pub(super) contents: BTreeMap<&'static str, Value>,
}

/// Operation of the API reference.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) group: &'static str,
    /// Method in lower case.
    pub(super) method: String,
    /// Path with `{names}`, without the patterns of the URL table.
    pub(super) path: String,
    pub(super) summary: &'static str,
    pub(super) access: Vec<AllowedBy>,
    pub(super) parameters: Vec<Parameter>,
    /// Schema of the body; `None` without one.
    pub(super) body: Option<Value>,
    pub(super) body_types: Vec<&'static str>,
    pub(super) successes: BTreeMap<u16, DescribedAnswer>,
    pub(super) refusals: BTreeMap<u16, Vec<ProblemCode>>,
}

impl Entry {
    /// Describes one method of `path`; `generator` keeps the schemas of answers.
    pub(super) fn of(
        path: &Path,
        described: &DescribedMethod,
        generator: &mut SchemaGenerator,
    ) -> Self {
        let mut facts = described.facts();
        if path.accepts_file() {
            facts.refuses(codes![KitError::TooOften]);
        }
        let operation = &described.operation;
        let mut successes: BTreeMap<u16, DescribedAnswer> = BTreeMap::new();
        for success in &operation.successes {
            let answer = successes.entry(success.status).or_default();
            let Some(media_type) = success.media_type else { continue };
            let schema = success.schema.map_or(Value::Null, |schema| schema(generator).to_value());
            answer.contents.insert(media_type, schema);
        }
        if LOGIN_REQUIRED.iter().all(|row| facts.refusals.contains(row)) {
            successes.entry(303).or_default();
        }
        facts.refusals.extend(&operation.refusals);
        // Sorted, so that operations with the same problems share the description.
        let mut refusals: BTreeMap<u16, Vec<ProblemCode>> = BTreeMap::new();
        for row in std::mem::take(&mut facts.refusals) {
            refusals.entry(row.status).or_default().push(row);
        }
        let accepts_file = path.accepts_file() && facts.is_change;
        Self {
            group: path.group(),
            method: described.method.as_str().to_lowercase(),
            path: path.pattern().replace("{*", "{"),
            summary: operation.summary,
            parameters: parameters(&facts, path.parameters()),
            body_types: body_types(&facts, accepts_file),
            body: facts.body.map(Schema::to_value),
            access: facts.access.into_iter().collect(),
            successes,
            refusals,
        }
    }
}

fn parameters(facts: &Facts, names: impl Iterator<Item = &'static str>) -> Vec<Parameter> {
    let path = facts.path.as_ref().map(Schema::as_value);
    let parts = path.and_then(|schema| schema.get("prefixItems")).and_then(Value::as_array);
    let in_path = names.enumerate().map(|(idx, name)| {
        let schema = match parts {
            Some(parts) => parts.get(idx),
            None => path,
        };
        let schema = schema.cloned().unwrap_or_else(|| json!({ "type": "string" }));
        Parameter { name: name.to_owned(), place: ParameterPlace::Path, is_required: true, schema }
    });
    let query = facts.query.as_ref().map(Schema::as_value);
    let fields = query.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let in_query = fields.into_iter().flatten().map(|(name, schema)| Parameter {
        name: name.clone(),
        place: ParameterPlace::Query,
        is_required: query.is_some_and(|query| requires(query, name)),
        schema: schema.clone(),
    });
    let headers = facts.headers.iter().map(|(name, description)| Parameter {
        name: (*name).to_owned(),
        place: ParameterPlace::Header,
        is_required: false,
        schema: json!({ "type": "string", "description": description }),
    });
    in_path.chain(in_query).chain(headers).collect()
}

/// Whether the object that `schema` describes must have the member `name`.
pub(super) fn requires(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

fn body_types(facts: &Facts, accepts_file: bool) -> Vec<&'static str> {
    match (&facts.body, facts.has_raw_body) {
        (None, false) => Vec::new(),
        (None, true) => vec![JSON],
        (Some(_), _) if facts.is_multipart => vec!["multipart/form-data"],
        (Some(_), _) if accepts_file => vec![JSON, FORM, "multipart/form-data"],
        (Some(_), _) => vec![JSON, FORM],
    }
}
