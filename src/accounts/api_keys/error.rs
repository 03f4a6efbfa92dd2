//! Refusals of API keys.

use serde_json::json;

use super::model::ApiScope;
use crate::web::error::{HttpError, Problem};

/// Reason why a key opens nothing. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiKeyError {
    /// No such key was made.
    #[error("unknown API key")]
    Unknown,
    /// It was revoked, or its maker may not manage any more.
    #[error("revoked API key")]
    Revoked,
    /// Its maker needs a second factor and has none.
    #[error("API key of an administrator without a second factor")]
    Unprotected,
    /// Its time is over.
    #[error("API key past its end")]
    Expired,
    /// It may not do this.
    #[error("API key without the scope {}", .0.name())]
    LacksScope(ApiScope),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl HttpError for ApiKeyError {
    fn problem(&self) -> Problem {
        const TOKEN: &str = "Bearer error=\"invalid_token\"";
        match self {
            Self::Unknown => Problem::new(401, "api-key-unknown").header("www-authenticate", TOKEN),
            Self::Revoked => Problem::new(401, "api-key-revoked").header("www-authenticate", TOKEN),
            Self::Expired => Problem::new(401, "api-key-expired").header("www-authenticate", TOKEN),
            Self::Unprotected => {
                Problem::new(401, "api-key-unprotected").header("www-authenticate", TOKEN)
            }
            Self::LacksScope(scope) => Problem::new(403, "api-key-scope")
                .word("scope", scope.name())
                .with(json!({ "scope": scope.name() })),
            Self::Database(error) => error.problem(),
        }
    }
}
