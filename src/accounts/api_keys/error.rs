//! Refusals of API keys.

use super::model::ApiScope;
use crate::web::error::problems;

const INVALID_TOKEN: &str = "Bearer error=\"invalid_token\"";

problems! {
    /// Reason why a key opens nothing.
    pub(crate) enum ApiKeyError {
        Unknown = 401 "api-key-unknown".header("www-authenticate", INVALID_TOKEN),
        /// The key was revoked, or its maker is no administrator any more.
        Revoked = 401 "api-key-revoked".header("www-authenticate", INVALID_TOKEN),
        /// The key's maker needs a second factor and has none.
        Unprotected = 401 "api-key-unprotected".header("www-authenticate", INVALID_TOKEN),
        Expired = 401 "api-key-expired".header("www-authenticate", INVALID_TOKEN),
        LacksScope(scope: ApiScope) = 403 "api-key-scope" { scope: scope.name() }
            .word("scope", scope.name()),
    }
    wraps { Database(#[from] sqlx::Error) }
}
