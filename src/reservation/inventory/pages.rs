//! HTTP form of [`InventoryError`].

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use super::model::InventoryError;
use crate::{
    text::i18n::Phrase,
    web::error::{HttpError, NotFound, database_error},
};

impl HttpError for InventoryError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NoSuchSeats => NotFound.status(),
            Self::SeatsInUse { .. } | Self::PlacesInUse | Self::Stale => StatusCode::CONFLICT,
            Self::Database(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoSuchSeats => "no-such-seats",
            Self::SeatsInUse { .. } => "seats-in-use",
            Self::PlacesInUse => "places-in-use",
            Self::Stale => "changed-meanwhile",
            Self::Database(error) => database_error(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        match self {
            Self::SeatsInUse { seats } => Map::from_iter([("seats".to_owned(), json!(seats))]),
            _ => Map::new(),
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::SeatsInUse { seats } => phrase.word("seats", seats.join(", ")),
            _ => phrase,
        }
    }
}
