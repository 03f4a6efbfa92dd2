//! Price types: what one costs, which places have it, and its limits.

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::{catalog::venues::kind::SeatKind, infra::ids::ids, points::Points};

ids! {
    /// Id of the terms of a price type.
    pub PriceTypeId(Uuid),
    /// Id of a price type, which all of its terms share.
    pub PriceTypeSeriesId(Uuid),
}

/// Cost of a place of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Percent of the ordinary price, 0 to 100; 0 is free.
    Percent(i32),
    /// Price in points, more than zero.
    Price(Points),
}

/// Places that a place of a type needs beside it in its order.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    sqlx::Type,
    strum::AsRefStr,
    strum::EnumString,
    JsonSchema,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Company {
    /// Places at the ordinary price.
    Ordinary,
    /// Wheelchair places, of any type.
    Wheelchair,
}

impl Company {
    /// Whether a place of `kind`, which has a price type or not, is such company.
    pub fn is_met_by(self, is_typed: bool, kind: SeatKind) -> bool {
        match self {
            Self::Ordinary => !is_typed,
            Self::Wheelchair => kind == SeatKind::Wheelchair,
        }
    }
}

/// Terms of a type, as its form has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PriceTypeDetails {
    /// Name, in the words of the program.
    pub name: String,
    /// Note, such as a proof to bring; may be empty.
    pub note: String,
    /// Cost of a place.
    #[serde(flatten)]
    pub cost: Cost,
    /// Sections and zones that have it, as they are called now; `None`: all.
    pub sections: Option<Vec<String>>,
    /// Kinds of the seats that have it; `None`: all.
    pub kinds: Option<Vec<SeatKind>>,
    /// Places of the type in one order; `None`: any number.
    pub per_order_max: Option<i32>,
    /// Places that must be in the same order; `None`: none.
    pub beside: Option<Company>,
    /// Places of the type for each place of `beside`; `None`: any number.
    pub per_beside_max: Option<i32>,
}

/// Terms of a price type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PriceType {
    /// Id of the terms.
    pub id: PriceTypeId,
    /// Type that the terms are of.
    #[serde(skip)]
    pub series_id: PriceTypeSeriesId,
    /// Terms.
    #[serde(flatten)]
    pub details: PriceTypeDetails,
    /// Whether nothing is held on these terms any more.
    #[serde(skip)]
    pub is_withdrawn: bool,
}

impl PriceTypeDetails {
    /// Whether a place of `kind` in `section`, or in the zone of that name, may have the type.
    pub fn is_for(&self, section: &str, kind: SeatKind) -> bool {
        self.sections.as_ref().is_none_or(|names| names.iter().any(|name| name == section))
            && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }
}
