//! Prices in documents for programs: beside each in points stands the same in money, where points are sold for it.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::text::prices::PriceUnit;

/// Members of documents that are prices. Amounts of the wallet are points and nothing else.
const PRICES: [&str; 15] = [
    "price",
    "unit_price",
    "price_from",
    "price_min",
    "price_max",
    "total",
    "discount",
    "covered",
    "rest",
    "usable",
    "lacking",
    "refunded",
    "payout",
    "revenue",
    "fee",
];

/// Members whose numbers stay as they are: counts of people, and records of acts.
const UNTOLD: [&str; 3] = ["purge", "before", "after"];

/// Returns `document` with `NAME_minor` beside each price NAME, an amount of minor units, and with `currency` in each
/// object that has one.
pub(super) fn in_money(document: &impl Serialize, unit: PriceUnit) -> Value {
    let mut document = json!(document);
    tell(&mut document, unit);
    document
}

fn tell(value: &mut Value, unit: PriceUnit) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| tell(value, unit)),
        Value::Object(members) => {
            let told = members.iter_mut().filter(|(name, _)| !UNTOLD.contains(&name.as_str()));
            told.for_each(|(_, value)| tell(value, unit));
            tell_members(members, unit);
        }
        _ => {}
    }
}

fn tell_members(members: &mut Map<String, Value>, unit: PriceUnit) {
    for name in PRICES {
        let points = members.get(name).and_then(Value::as_i64);
        if let Some(money) = points.and_then(|points| unit.money(points)) {
            members.insert(format!("{name}_minor"), money.minor.into());
            members.entry("currency").or_insert_with(|| json!(money.currency));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::config::PointPrice;

    #[test]
    fn each_price_of_a_document_has_its_money_beside_it() {
        let currency = "EUR".parse().unwrap();
        let unit = PriceUnit::Money(PointPrice { minor: NonZeroU32::new(2).unwrap(), currency });
        let told = in_money(
            &json!({ "seats": [{ "id": 7, "price": 50, "n": 3 }], "total": 50, "price_max": null }),
            unit,
        );
        let seat = json!({ "id": 7, "price": 50, "price_minor": 100, "currency": "EUR", "n": 3 });
        let expected = json!({
            "seats": [seat], "total": 50, "total_minor": 100, "currency": "EUR", "price_max": null,
        });
        assert_eq!(told, expected);
        let untold = json!({ "purge": { "total": 12 }, "entries": [{ "before": { "price": 5 } }] });
        assert_eq!(in_money(&untold, unit), untold);
    }
}
