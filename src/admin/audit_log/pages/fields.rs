//! Fields that an act changed, as people read them.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    admin::people::pages::role_key,
    audit::model::{FieldChange, LogLine, changes},
    catalog::ProgramStatus,
    text::{
        i18n::grouped,
        times::{self, typed_minutes},
    },
    web::page::View,
};

/// Locale keys of the fields' names, the same as in the forms in which they are edited. The log has
/// other fields too; their names are shown as they are.
const LABELS: &[(&str, &str)] = &[
    ("account_age_mins", "admin-guard-age-mins"),
    ("address", "admin-venue-address"),
    ("age_min", "admin-program-age"),
    ("balance", "wallet-balance"),
    ("capacity", "admin-zone-capacity"),
    ("categories", "admin-price-categories"),
    ("code", "admin-code-word"),
    ("colour", "admin-office-colour"),
    ("confirmed_address", "admin-guard-confirmed-address"),
    ("cool_down_mins", "admin-guard-cool-down-mins"),
    ("debt", "admin-person-debt"),
    ("description", "admin-program-description"),
    ("doors_before_mins", "admin-program-doors"),
    ("email", "admin-office-email"),
    ("exchange_fee", "admin-program-exchange-fee"),
    ("exchange_until_hours", "admin-program-exchange-until"),
    ("free_until_days", "admin-program-refund-free-days"),
    ("free_within_hours", "admin-program-refund-free-hours"),
    ("guards", "admin-guards"),
    ("hold_ttl_secs", "admin-program-hold"),
    ("hours_before", "admin-letter-hours"),
    ("imprint", "office-imprint"),
    ("joins_per_address", "admin-guard-per-address"),
    ("kept_until_hours", "admin-kept-until"),
    ("kinds", "admin-webhook-kinds"),
    ("locked_at", "admin-person-locked"),
    ("logo", "admin-office-logo"),
    ("name", "admin-venue-name"),
    ("no_single_seats", "admin-program-no-single"),
    ("off_sale_at", "admin-program-closes"),
    ("offer_mins", "admin-program-offer"),
    ("on_sale_at", "admin-program-opens"),
    ("phone", "admin-office-phone"),
    ("places_max", "admin-code-places-max"),
    ("places_per_account_max", "admin-program-places"),
    ("places_per_order_min", "admin-program-places-min"),
    ("poster", "admin-program-poster"),
    ("price", "admin-price"),
    ("privacy", "office-privacy"),
    ("program", "admin-programs-title"),
    ("proof_bits", "admin-guard-proof-secs"),
    ("queue_capacity", "admin-queue-capacity"),
    ("queue_rate_per_second", "admin-queue-rate"),
    ("refund_percent", "admin-program-refund-percent"),
    ("refund_terms", "admin-program-refund"),
    ("refund_until_hours", "admin-program-refund-until-hours"),
    ("return_fee_percent", "admin-program-return-fee"),
    ("role", "admin-role"),
    ("running_mins", "admin-program-running"),
    ("seats", "admin-venue-seats"),
    ("section", "admin-section"),
    ("sections", "admin-price"),
    ("seller", "admin-office-seller"),
    ("seller_address", "admin-office-seller-address"),
    ("slug", "admin-program-slug"),
    ("starts_at", "admin-schedule-starts"),
    ("status", "wallet-filter-status"),
    ("stay_secs", "admin-program-stay"),
    ("tax_number", "admin-office-tax-number"),
    ("tax_rate_bp", "admin-office-tax-rate"),
    ("terms", "office-terms"),
    ("time_zone", "admin-venue-zone"),
    ("title", "admin-program-title"),
    ("unpaid_holds_max", "admin-guard-unpaid"),
    ("url", "admin-webhook-url"),
    ("uses_max", "admin-code-uses-max"),
    ("venue_name", "admin-schedule-venue"),
    ("waiting", "admin-queue-waiting"),
    ("words", "mail-fact-words"),
    ("zone", "admin-zones"),
];

/// Longest text of a value that is shown, in characters.
const VALUE_CHARS_MAX: usize = 300;

/// Returns the changed fields of a line with their names and values in the reader's language. Ids
/// are left out: the sentence above names what they stand for.
pub fn of(v: &View, line: &LogLine) -> Vec<FieldChange> {
    let zone = line.time_zone.as_deref().unwrap_or(times::home().name());
    let shown = |document: Option<&Value>, field: &str| {
        let value = document.and_then(|document| document.get(field))?;
        text(v, field, value, zone).map(|text| shortened(&text))
    };
    let fields = changes(line.before.as_ref(), line.after.as_ref()).into_iter().map(|change| {
        let before = shown(line.before.as_ref(), &change.field);
        let after = shown(line.after.as_ref(), &change.field);
        FieldChange { field: label(v, &change.field), before, after }
    });
    fields.filter(|change| change.before.is_some() || change.after.is_some()).collect()
}

/// Returns a change that a refusal shows, in the reader's language.
pub fn reworded(v: &View, change: &FieldChange) -> FieldChange {
    let shown = |value: &Option<String>| {
        let value = Value::String(value.clone()?);
        text(v, &change.field, &value, times::home().name()).map(|text| shortened(&text))
    };
    FieldChange {
        field: label(v, &change.field),
        before: shown(&change.before),
        after: shown(&change.after),
    }
}

/// Returns the name of a field.
fn label(v: &View, field: &str) -> String {
    match LABELS.binary_search_by_key(&field, |(name, _)| name) {
        Ok(idx) => LABELS.get(idx).map_or_else(String::new, |(_, key)| v.t(key).to_string()),
        Err(_) => field.replace('_', " "),
    }
}

/// Returns a value as text; `None` for null, for an id, and for lists and objects of these alone.
fn text(v: &View, field: &str, value: &Value, zone: &str) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(is_set) => {
            Some(v.t(if *is_set { "admin-audit-yes" } else { "admin-audit-no" }).to_string())
        }
        Value::Number(number) => match number.as_i64().map(i32::try_from) {
            Some(Ok(secs)) if field.ends_with("_secs") => Some(typed_minutes(secs)),
            _ => Some(grouped(number)),
        },
        Value::String(text) if field == "role" => {
            let role = serde_json::from_value(value.clone());
            Some(role.map_or_else(|_| text.clone(), |role| v.t(role_key(role)).to_string()))
        }
        Value::String(text) if field == "status" => {
            let status = serde_json::from_value::<ProgramStatus>(value.clone());
            Some(status.map_or_else(|_| text.clone(), |status| v.t(status.text_key()).to_string()))
        }
        Value::String(text) => word(v, text, zone),
        Value::Array(values) => {
            let mut texts: Vec<String> =
                values.iter().filter_map(|value| text(v, field, value, zone)).collect();
            texts.dedup();
            let is_flat = values.iter().any(|value| !value.is_array());
            Some(texts.join(if is_flat { " " } else { ", " })).filter(|text| !text.is_empty())
        }
        Value::Object(fields) => {
            let texts = fields.iter().filter_map(|(field, value)| {
                Some(format!("{}: {}", label(v, field), text(v, field, value, zone)?))
            });
            Some(texts.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
        }
    }
}

/// Returns a text as people read it, a moment on the clock of `zone`; `None` for an id and for nothing.
fn word(v: &View, text: &str, zone: &str) -> Option<String> {
    if text.is_empty() || text.parse::<Uuid>().is_ok() {
        return None;
    }
    let moment = text.parse::<DateTime<Utc>>();
    Some(moment.map_or_else(|_| text.to_owned(), |moment| v.moment(&moment, zone)))
}

/// Cuts a long text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(VALUE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_because_they_are_searched() {
        assert!(LABELS.is_sorted_by_key(|(name, _)| name));
    }
}
