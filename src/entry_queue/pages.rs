//! HTTP: the waiting room and the ways in and out of it.

use actix_web::{
    HttpRequest,
    cookie::{Cookie, SameSite, time},
    http::StatusCode,
};
use serde_json::{Map, Value, json};

use super::{
    error::QueueError,
    model::{QueueState, Stay, queue_path},
    pass::EntryPass,
};
use crate::{
    app::App,
    catalog::Program,
    web::{
        error::{Fault, Unavailable, database_fault},
        i18n::Phrase,
        times,
    },
};

/// The cookie that holds the entry pass.
const PASS_COOKIE: &str = "entry_pass";

impl Fault for QueueError {
    fn status(&self) -> StatusCode {
        match self {
            Self::TokenAlreadyIssued { .. } | Self::SaleNotOpen { .. } => StatusCode::CONFLICT,
            Self::SaleClosed => StatusCode::GONE,
            Self::NoToken { .. } => StatusCode::NOT_FOUND,
            Self::NotAdmitted { .. } => StatusCode::FORBIDDEN,
            Self::Crowded | Self::BatchLost => Unavailable.status(),
            Self::Batch(error) => database_fault(error).0,
            Self::Database(error) => database_fault(error).0,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::TokenAlreadyIssued { .. } => "token-already-issued",
            Self::SaleNotOpen { .. } => "sale-not-open",
            Self::SaleClosed => "sale-closed",
            Self::NoToken { .. } => "no-token",
            Self::NotAdmitted { .. } => "not-admitted",
            Self::Crowded | Self::BatchLost => Unavailable.code(),
            Self::Batch(error) => database_fault(error).1,
            Self::Database(error) => database_fault(error).1,
        }
    }

    fn extra(&self) -> Map<String, Value> {
        match self {
            Self::TokenAlreadyIssued { state, .. } => told_beside_a_status(state),
            Self::SaleNotOpen { opens_at, .. } => {
                Map::from_iter([("opens_at".to_owned(), json!(opens_at))])
            }
            Self::NotAdmitted { queue_url } => {
                Map::from_iter([("queue_url".to_owned(), json!(queue_url))])
            }
            _ => Map::new(),
        }
    }

    fn retry_after_secs(&self) -> Option<u64> {
        match self.status() {
            StatusCode::SERVICE_UNAVAILABLE => Unavailable.retry_after_secs(),
            _ => None,
        }
    }

    fn fill(&self, phrase: Phrase) -> Phrase {
        match self {
            Self::SaleNotOpen { opens_at, time_zone, .. } => {
                let when = times::in_full(*opens_at, times::zone(time_zone), phrase.locale());
                phrase.word("when", when)
            }
            _ => phrase,
        }
    }

    fn way_forward(&self) -> Option<String> {
        match self {
            Self::TokenAlreadyIssued { queue_url, .. } | Self::NotAdmitted { queue_url } => {
                Some(queue_url.clone())
            }
            Self::NoToken { program_url } | Self::SaleNotOpen { program_url, .. } => {
                Some(program_url.clone())
            }
            Self::SaleClosed => Some("/reservations".to_owned()),
            _ => None,
        }
    }
}

/// A queue state among the members of a problem document, whose `status` is the HTTP
/// status; so the whole state stands under `queue` as well.
fn told_beside_a_status(state: &QueueState) -> Map<String, Value> {
    let told = json!(state);
    let mut extra = told.as_object().cloned().unwrap_or_default();
    extra.insert("queue".to_owned(), told);
    extra
}

/// The entry pass of `stay`, for the browser of whoever is inside.
pub fn pass_cookie(app: &App, stay: &Stay) -> Cookie<'static> {
    let text = EntryPass::of(stay).sign(&app.signing_key).unwrap_or_default();
    let secs_left = (stay.expires_at - app.now()).num_seconds().max(0);
    Cookie::build(PASS_COOKIE, text)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.config.is_https())
        .max_age(time::Duration::seconds(secs_left))
        .finish()
}

/// Compares the pass in `request` with the live `stay`: one that is forged, over or of
/// another stay is refused. For a browser that holds none, gives the cookie to set.
pub fn check_pass(
    request: &HttpRequest,
    app: &App,
    stay: &Stay,
    program: &Program,
) -> Result<Option<Cookie<'static>>, QueueError> {
    let Some(shown) = request.cookie(PASS_COOKIE) else {
        return Ok(Some(pass_cookie(app, stay)));
    };
    let pass = EntryPass::read(shown.value(), &app.signing_key, app.now());
    match pass.is_some_and(|pass| pass.admits(stay)) {
        true => Ok(None),
        false => Err(QueueError::NotAdmitted { queue_url: queue_path(&program.slug) }),
    }
}
