//! Kinds of seats: its property beside its place, as a plan has it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::i18n::Locale;

/// Kind of a seat.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    sqlx::Type,
    strum::AsRefStr,
    strum::EnumString,
    JsonSchema,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SeatKind {
    /// Ordinary seat.
    #[default]
    Standard,
    /// Place for a wheelchair.
    Wheelchair,
    /// Place for the companion of the person at a wheelchair place of the same row.
    Companion,
    /// Seat that is reached without steps.
    EasyAccess,
    /// Seat from which a part of the stage is hidden.
    RestrictedView,
}

impl SeatKind {
    /// Kinds that are marked on maps, in the order of the legend.
    pub const MARKED: [Self; 4] =
        [Self::Wheelchair, Self::Companion, Self::EasyAccess, Self::RestrictedView];

    /// Whether the seat is an ordinary one.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
    pub fn is_standard(&self) -> bool {
        *self == Self::Standard
    }

    /// Whether free seats of the kind are kept for people who need them until a time before the
    /// performance.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Wheelchair | Self::Companion)
    }

    /// Whether the seat is reached without steps.
    pub fn is_step_free(self) -> bool {
        matches!(self, Self::Wheelchair | Self::Companion | Self::EasyAccess)
    }

    /// Returns the name of the symbol, and the last part of the locale key of the name; `None` for
    /// ordinary seats, which have neither.
    pub fn mark(self) -> Option<&'static str> {
        match self {
            Self::Standard => None,
            Self::Wheelchair => Some("wheelchair"),
            Self::Companion => Some("companion"),
            Self::EasyAccess => Some("easy-access"),
            Self::RestrictedView => Some("restricted-view"),
        }
    }

    /// Returns the locale key of the name; `None` for ordinary seats.
    pub fn text_key(self) -> Option<String> {
        self.mark().map(|mark| format!("seat-kind-{mark}"))
    }

    /// Returns the name of a seat of the kind, with that of the kind unless it is an ordinary one.
    pub fn with_name(self, seat: impl fmt::Display, locale: Locale) -> String {
        match self.text_key() {
            Some(kind) => format!("{seat} \u{b7} {}", locale.text(kind)),
            None => seat.to_string(),
        }
    }
}
