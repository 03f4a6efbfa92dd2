//! Form of the guards against hoarding.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    admin::pages::{parse_optional, parse_version},
    catalog::{Guards, Program},
    web::form::{Field, Mistakes},
};

/// Range of the account's minimum age, in minutes: up to a year.
const AGE_MINS: RangeInclusive<i32> = 1..=525_600;
const PROOF_BITS: RangeInclusive<i32> = 8..=28;
const JOINS: RangeInclusive<i32> = 1..=100_000;
const HOLDS: RangeInclusive<i32> = 1..=100;
const COOL_DOWN_MINS: RangeInclusive<i32> = 1..=10_080;

/// Guards of a queue; an empty field, or a box that is not checked, turns one off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GuardsForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Minimum age of accounts, in minutes; empty: off.
    pub account_age_mins: Field,
    /// Box: the address must be confirmed.
    pub confirmed_address: Field,
    /// Work of a join, in bits; empty: off.
    pub proof_bits: Field,
    /// Accounts of one network; empty: off.
    pub joins_per_address: Field,
    /// Unpaid holds before a break; empty: off.
    pub unpaid_holds_max: Field,
    /// Length of the break, in minutes.
    pub cool_down_mins: Field,
}

impl GuardsForm {
    /// Returns the form of the current guards.
    pub(crate) fn of(edition: &Program) -> Self {
        let or_empty = |number: Option<i32>| number.map_or_else(Field::default, Field::of);
        let guards = &edition.guards;
        Self {
            version: Field::of(edition.version),
            account_age_mins: or_empty(guards.account_age_mins),
            confirmed_address: Field::of(guards.confirmed_address),
            proof_bits: or_empty(guards.proof_bits),
            joins_per_address: or_empty(guards.joins_per_address),
            unpaid_holds_max: or_empty(guards.unpaid_holds_max),
            cool_down_mins: or_empty(guards.cool_down_mins),
        }
    }

    /// Whether the box that asks for a confirmed address is checked.
    pub(crate) fn asks_confirmed_address(&self) -> bool {
        self.confirmed_address.flag() == Some(true)
    }

    pub(crate) fn version(&self) -> &str {
        self.version.text()
    }

    /// Returns the version that the form shows, and the guards.
    pub(crate) fn parse(&self) -> Result<(i64, Guards), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let mut number = |name, field: &Field, range: RangeInclusive<i32>| {
            mistakes.note(name, "admin-refusal-number", parse_optional(field, &range))
        };
        let account_age_mins = number("account_age_mins", &self.account_age_mins, AGE_MINS);
        let proof_bits = number("proof_bits", &self.proof_bits, PROOF_BITS);
        let joins_per_address = number("joins_per_address", &self.joins_per_address, JOINS);
        let unpaid_holds_max = number("unpaid_holds_max", &self.unpaid_holds_max, HOLDS);
        let cool_down_mins = number("cool_down_mins", &self.cool_down_mins, COOL_DOWN_MINS);
        let is_confirmed = self.confirmed_address.flag();
        let is_confirmed = mistakes.note("confirmed_address", "admin-refusal-flag", is_confirmed);
        let cool_down = unpaid_holds_max.zip(cool_down_mins);
        // The unpaid holds and the cool-down mean nothing without each other.
        let cool_down = cool_down.filter(|(holds, mins)| holds.is_some() == mins.is_some());
        let cool_down = mistakes.note("cool_down_mins", "admin-refusal-cool-down", cool_down);
        let joining = account_age_mins.zip(is_confirmed).zip(proof_bits).zip(joins_per_address);
        let guards = joining.zip(cool_down).map(|(joining, cool)| {
            let (((account_age_mins, confirmed_address), proof_bits), joins_per_address) = joining;
            let (unpaid_holds_max, cool_down_mins) = cool;
            Guards {
                account_age_mins,
                confirmed_address,
                proof_bits,
                joins_per_address,
                unpaid_holds_max,
                cool_down_mins,
            }
        });
        mistakes.or(version.zip(guards))
    }
}
