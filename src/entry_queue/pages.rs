//! HTTP: the waiting room and the ways in and out of it.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, SameSite, time},
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    error::QueueError,
    estimate::Wait,
    model::{QueueNumber, QueueState, Stay, TokenStatus, queue_path},
    pass::EntryPass,
    room::WaitingRoom,
    service::{self, Place},
};
use crate::{
    accounts::{CachedAccount, CurrentAccount},
    app::App,
    catalog::{Program, Programs, ScheduleListing},
    web::{
        error::{Fault, NotFound, PageError, Unavailable, database_fault},
        form::{Body, Field, Mistakes},
        i18n::Phrase,
        page::View,
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
            Self::Shared(error) => database_fault(error).0,
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
            Self::Shared(error) => database_fault(error).1,
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

#[derive(Template)]
#[template(path = "entry_queue/waiting.html")]
struct WaitingPage<'a> {
    v: &'a View,
    program: &'a Program,
    state: &'a QueueState,
    wait: Option<Wait>,
    is_back: bool,
}

impl WaitingPage<'_> {
    fn retry_after_ms(&self) -> u64 {
        self.state.retry_after_ms.unwrap_or_default()
    }

    fn refresh_secs(&self) -> u64 {
        whole_secs(self.retry_after_ms())
    }

    fn is_counted(&self) -> bool {
        self.state.ahead.is_some()
    }

    fn ahead(&self) -> u64 {
        self.state.ahead.unwrap_or_default()
    }

    fn behind(&self) -> u64 {
        self.state.waiting.unwrap_or_default().saturating_sub(self.ahead() + 1)
    }

    fn is_scarce(&self) -> bool {
        self.state.ahead.is_some_and(|ahead| ahead >= self.state.seats_free)
    }

    fn wait_text(&self) -> Phrase {
        const MINUTE: u64 = 60;
        const HOUR: u64 = 60 * MINUTE;
        let Some(wait) = self.wait else { return self.v.t("queue-wait-unknown") };
        let longest = wait.secs_max.unwrap_or(wait.secs);
        let (from, to) = (wait.secs_min / MINUTE, longest.div_ceil(MINUTE));
        let about = |duration| self.v.t("queue-wait-about").word("duration", duration);
        match longest {
            0..MINUTE => self.v.t("date-less-than-a-minute"),
            MINUTE..HOUR if from < to && from > 0 => {
                about(self.v.t("date-minutes-range").number("from", from).number("to", to))
            }
            MINUTE..HOUR => about(self.v.t("date-minutes").number("minutes", to)),
            _ => {
                let minutes = wait.secs.div_ceil(MINUTE);
                let text = self.v.t("date-hours-minutes");
                about(text.number("hours", minutes / 60).number("minutes", minutes % 60))
            }
        }
    }

    fn measured_at(&self) -> Option<String> {
        let zone = times::zone(&self.program.time_zone);
        self.wait.map(|wait| times::time_of_day(wait.measured_at, zone))
    }
}

#[derive(Template)]
#[template(path = "entry_queue/your_turn.html")]
struct YourTurnPage<'a> {
    v: &'a View,
    program: &'a Program,
    stay: &'a Stay,
    schedules: &'a [ScheduleListing],
    now: DateTime<Utc>,
}

impl YourTurnPage<'_> {
    fn stay_ends(&self) -> String {
        times::time_of_day(self.stay.stay_ends_at, times::zone(&self.program.time_zone))
    }
}

#[derive(Template)]
#[template(path = "entry_queue/ended.html")]
struct EndedPage<'a> {
    v: &'a View,
    program: &'a Program,
    ended: &'static str,
}

/// `GET /programs/{slug}/queue`
pub async fn show_queue(
    app: Data<App>,
    programs: Data<Programs>,
    room: Data<WaitingRoom>,
    slug: Path<String>,
    me: CachedAccount,
) -> Result<HttpResponse, PageError> {
    let program = find(&app, &programs, &slug).await?;
    let place = service::place_of(&app, &room, me.account_id, &program).await?;
    Ok(tell(&app, &me.view, &program, &place))
}

/// `POST /programs/{slug}/queue`
pub async fn create_token(
    app: Data<App>,
    programs: Data<Programs>,
    room: Data<WaitingRoom>,
    slug: Path<String>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    let program = find(&app, &programs, &slug).await?;
    let place = service::join(&app, &room, me.account_id, &program).await?;
    let response = me.view.done(StatusCode::CREATED, &place.state, &queue_path(&program.slug));
    Ok(with_pass(&app, response, &place))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DepartureForm {
    queue_number: Field,
}

impl DepartureForm {
    /// The number is what the person saw when they asked to leave. A program may leave
    /// it out, a form always says it.
    fn parse(&self, view: &View) -> Result<Option<QueueNumber>, Mistakes> {
        if self.queue_number.is_empty() && view.format.is_for_programs() {
            return Ok(None);
        }
        let number = self.queue_number.parse().map(|number| Some(QueueNumber(number)));
        number.ok_or_else(|| Mistakes::one("queue_number", "queue-refusal-number"))
    }
}

/// `DELETE /programs/{slug}/queue` and `POST /programs/{slug}/queue/departure`
pub(crate) async fn delete_token(
    app: Data<App>,
    programs: Data<Programs>,
    slug: Path<String>,
    me: CurrentAccount,
    form: Body<DepartureForm>,
) -> Result<HttpResponse, PageError> {
    let program = find(&app, &programs, &slug).await?;
    let number = form.0.parse(&me.view)?;
    service::leave(&app, me.account_id, &program, number).await?;
    let location = queue_path(&program.slug);
    let mut response = me.view.done(StatusCode::NO_CONTENT, &Value::Null, &location);
    let mut cookie = Cookie::build(PASS_COOKIE, "").path("/").finish();
    cookie.make_removal();
    set(&mut response, &cookie);
    Ok(response)
}

async fn find(app: &App, programs: &Programs, slug: &str) -> Result<Arc<Program>, PageError> {
    Ok(programs.find(app, slug).await?.ok_or(NotFound)?)
}

fn tell(app: &App, view: &View, program: &Program, place: &Place) -> HttpResponse {
    let state = &place.state;
    let mut response = match &place.stay {
        Some(stay) => {
            let (schedules, now) = (place.schedules.as_slice(), app.now());
            view.show(&YourTurnPage { v: view, program, stay, schedules, now }, state)
        }
        None if state.status == TokenStatus::Waiting => {
            let (wait, is_back) = (place.wait, place.is_back);
            view.show(&WaitingPage { v: view, program, state, wait, is_back }, state)
        }
        None => view.show(&EndedPage { v: view, program, ended: state.status.key() }, state),
    };
    if let Some(ms) = state.retry_after_ms {
        let secs = header::HeaderValue::from(whole_secs(ms));
        response.headers_mut().insert(header::RETRY_AFTER, secs);
    }
    with_pass(app, response, place)
}

/// The answer, with the entry pass of whoever is inside.
fn with_pass(app: &App, mut response: HttpResponse, place: &Place) -> HttpResponse {
    if let Some(stay) = &place.stay {
        set(&mut response, &pass_cookie(app, stay));
    }
    response
}

fn set(response: &mut HttpResponse, cookie: &Cookie<'_>) {
    if let Err(error) = response.add_cookie(cookie) {
        tracing::error!(%error, "a cookie could not be set");
    }
}

fn whole_secs(ms: u64) -> u64 {
    ms.div_ceil(1_000)
}
