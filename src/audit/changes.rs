//! Fields that an act changed.

use serde::Serialize;
use serde_json::Value;

/// Field that an act changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// Name of the field.
    pub field: String,
    /// Value before; `None` if it had none.
    pub before: Option<String>,
    /// Value after; `None` if it has none.
    pub after: Option<String>,
}

/// Returns the fields that differ between two documents of one subject, except `version`.
pub fn changes(before: Option<&Value>, after: Option<&Value>) -> Vec<FieldChange> {
    const VERSION: &str = "version";
    let fields =
        |document: Option<&Value>| document.and_then(Value::as_object).cloned().unwrap_or_default();
    let (before, after) = (fields(before), fields(after));
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| *name != VERSION && before.get(*name) != after.get(*name))
        .map(|name| FieldChange {
            field: name.clone(),
            before: before.get(name).and_then(as_text),
            after: after.get(name).and_then(as_text),
        })
        .collect()
}

/// Returns a value as text for the page; `None` for null.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_a_change() {
        let before = json!({ "title": "A", "capacity": 5, "version": 1 });
        let after = json!({ "title": "A", "capacity": null, "slug": "a", "version": 2 });
        let changed = changes(Some(&before), Some(&after));
        let change = |field: &str, before: Option<&str>, after: Option<&str>| FieldChange {
            field: field.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        assert_eq!(changed, [change("capacity", Some("5"), None), change("slug", None, Some("a"))]);
    }
}
