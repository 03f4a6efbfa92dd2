//! HTTP mapping of [`CatalogError`]: status, code, extra fields and text arguments.

use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::{
    catalog::error::CatalogError,
    text::i18n::Phrase,
    web::error::{HttpError, NotFound, database_error},
};

impl HttpError for CatalogError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => NotFound.status(),
            Self::Plan(_) | Self::NoSuchSection => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Stale
            | Self::SlugTaken
            | Self::MomentTaken
            | Self::ZoneTaken
            | Self::NothingToSell
            | Self::WrongStatus
            | Self::SeatsInUse { .. } => StatusCode::CONFLICT,
            Self::Database(error) => database_error(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotFound => NotFound.code(),
            Self::Stale => "changed-meanwhile",
            Self::SlugTaken => "slug-taken",
            Self::MomentTaken => "moment-taken",
            Self::ZoneTaken => "zone-taken",
            Self::NoSuchSection => "no-such-section",
            Self::NothingToSell => "nothing-to-sell",
            Self::WrongStatus => "wrong-status",
            Self::SeatsInUse { .. } => "seats-in-use",
            Self::Plan(_) => "invalid-plan",
            Self::Database(error) => database_error(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        match self {
            Self::SeatsInUse { seats } => Map::from_iter([("seats".to_owned(), json!(seats))]),
            Self::Plan(mistake) => Map::from_iter([
                ("line".to_owned(), json!(mistake.line)),
                ("problem".to_owned(), json!(mistake.problem.as_ref())),
                ("text".to_owned(), json!(mistake.text)),
            ]),
            _ => Map::new(),
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::SeatsInUse { seats } => phrase.word("seats", seats.join(", ")),
            Self::Plan(mistake) => {
                let problem = phrase.locale().text(mistake.problem.text_key());
                let problem = problem.word("text", &mistake.text);
                phrase.number("line", mistake.line).word("problem", problem)
            }
            _ => phrase,
        }
    }
}
