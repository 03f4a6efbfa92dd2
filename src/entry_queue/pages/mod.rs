//! HTTP pages of the queue: the program that it leads to, waiting, joining and leaving.

mod entry;
mod new_token;
pub mod program;
pub mod program_document;
mod program_page;
mod venues;
mod waiting;
mod way_in;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::{
    program::AtProgram,
    waiting::{WaitingPage, whole_secs},
    way_in::WayIn,
};
use super::{
    access_gates,
    guards::pages,
    membership,
    model::{QueueNumber, Stay, TokenStatus},
    paths::queue_path,
    state::WaitingRoom,
    status::{Heard, StatusReport, status_once_heard},
    turn_notices::{self, NoticeOffer},
};
use crate::{
    accounts::{Arriving, CachedAccount, CurrentAccount},
    app::App,
    catalog::{Program, Programs, SaleState, ScheduleListing},
    web::{
        error::{NotFound, PageError},
        form::{Body, Field, Mistakes},
        page::{View, see_other},
    },
};

pub use crate::entry_queue::guards::pages::{create_wait, show_proof};
pub use entry::{pass_cookies, shown_pass};
pub use new_token::new_token;
pub use program_page::{preview, show_program};

#[derive(Template)]
#[template(path = "entry_queue/in_draw.html")]
struct InDrawPage<'a> {
    v: &'a View,
    program: &'a Program,
    refresh_secs: u64,
    /// Whether the entries are closed.
    is_drawing: bool,
    now: DateTime<Utc>,
}

impl InDrawPage<'_> {
    fn opens(&self) -> String {
        self.v.moment(&self.program.on_sale_at, &self.program.time_zone)
    }
}

#[derive(Template)]
#[template(path = "entry_queue/admitted.html")]
struct AdmittedPage<'a> {
    v: &'a View,
    program: &'a Program,
    stay: &'a Stay,
    schedules: &'a [ScheduleListing],
    now: DateTime<Utc>,
}

impl AdmittedPage<'_> {
    /// Returns the way in to the program.
    fn way_in(&self) -> WayIn {
        WayIn::of(self.program, self.schedules)
    }

    /// Whether the account came through a line: without one there is no turn, and nothing to leave.
    fn has_line(&self) -> bool {
        self.way_in() == WayIn::Line
    }

    fn stay_ends(&self) -> String {
        self.v.near(&self.stay.stay_ends_at, &self.now, &self.program.time_zone)
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
    room: Data<WaitingRoom>,
    programs: Data<Programs>,
    me: Arriving<CachedAccount>,
    slug: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let (me, (program, heard)) = me
        .with(async |account_id| {
            let program = programs.find(&app, &slug).await?.ok_or(NotFound)?;
            let has_pass = entry::has_pass(&app, &request, program.id);
            let heard = Heard::ahead(&app, &room, &program, account_id, has_pass).await?;
            Ok::<_, PageError>((program, heard))
        })
        .await?;
    let status = status_once_heard(&app, &room, me.account_id, &program, heard).await?;
    if !me.view.format.is_for_programs()
        && program.sale_state(app.now()) != SaleState::Cancelled
        && let Some(seats) = first_way_in(&app, &request, &program, &status)
    {
        return Ok(with_pass(&app, &request, see_other(seats), &status));
    }
    let notice = match me.view.format.is_for_programs() {
        // Polls say nothing of it.
        true => NoticeOffer::Hidden,
        false => turn_notices::offer(&app, me.account_id, &program, &status).await,
    };
    let own_entrance = match status.state.status {
        TokenStatus::Waiting if !me.view.format.is_for_programs() => {
            access_gates::has_open_gate(&app, &program, me.account_id).await.unwrap_or_default()
        }
        _ => false,
    };
    let response = render_status(&app, &me.view, &program, &status, (notice, own_entrance));
    Ok(with_pass(&app, &request, response, &status))
}

/// `POST /programs/{slug}/queue`
pub async fn create_token(
    app: Data<App>,
    room: Data<WaitingRoom>,
    AtProgram { program, me: (me, form) }: AtProgram<(CurrentAccount, Body<pages::JoinForm>)>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let attempt = form.0.attempt(&app, &request, &me);
    let status = membership::join(&app, &room, me.account_id, &program, attempt).await?;
    // An account that is admitted at once to the only performance goes straight to the seats.
    let location = status.state.entry_url.clone().unwrap_or_else(|| queue_path(&program.slug));
    let response = me.view.done(StatusCode::CREATED, &status.state, &location);
    Ok(with_pass(&app, &request, response, &status))
}

/// Form that leaves the queue.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DepartureForm {
    /// Number that was shown; another one is refused.
    queue_number: Field,
}

impl DepartureForm {
    /// Parses the number that the page showed when the request to leave was made. A program may
    /// leave it out; a form must send it.
    fn parse(&self, view: &View) -> Result<Option<QueueNumber>, Mistakes> {
        if self.queue_number.is_empty() && view.format.is_for_programs() {
            return Ok(None);
        }
        let number = self.queue_number.parse().map(|number| Some(QueueNumber(number)));
        number.ok_or_else(|| Mistakes::one("queue_number", "queue-refusal-number"))
    }
}

/// `DELETE /programs/{slug}/queue` and `POST /programs/{slug}/queue/departure`
pub async fn delete_token(
    app: Data<App>,
    AtProgram { program, me: (me, form) }: AtProgram<(CurrentAccount, Body<DepartureForm>)>,
) -> Result<HttpResponse, PageError> {
    let number = form.0.parse(&me.view)?;
    membership::leave(&app, me.account_id, &program, number).await?;
    let location = queue_path(&program.slug);
    let mut response = me.view.done(StatusCode::NO_CONTENT, &Value::Null, &location);
    entry::take_away(&app, &mut response, program.id);
    Ok(response)
}

/// Returns where to choose seats, for a browser that has no pass of the stay yet: it learns of the
/// turn only now, so it is redirected as one that waited is. A browser that has the pass came back
/// on purpose, and sees the page. `None` where there are several performances to choose from.
fn first_way_in<'a>(
    app: &App,
    request: &HttpRequest,
    program: &Program,
    status: &'a StatusReport,
) -> Option<&'a str> {
    let (stay, seats) = (status.stay.as_ref()?, status.state.entry_url.as_deref()?);
    let shown = shown_pass(request, app, stay.account_id, program).ok().flatten();
    let has_pass = shown.is_some_and(|pass| pass.admits(stay));
    (!has_pass && seats != queue_path(&program.slug)).then_some(seats)
}

fn render_status(
    app: &App,
    view: &View,
    program: &Program,
    status: &StatusReport,
    (notice, has_own_entrance): (NoticeOffer, bool),
) -> HttpResponse {
    let state = &status.state;
    let now = app.now();
    let sale = program.sale_state(now);
    let mut response = match &status.stay {
        _ if sale == SaleState::Cancelled && state.status != TokenStatus::Completed => {
            view.show(&EndedPage { v: view, program, ended: "called-off" }, state)
        }
        Some(stay) => {
            let schedules = status.schedules.as_slice();
            view.show(&AdmittedPage { v: view, program, stay, schedules, now }, state)
        }
        None if state.status == TokenStatus::Waiting => {
            let &StatusReport { wait, accuracy, is_back, .. } = status;
            let n_performances = status.schedules.len();
            let page = WaitingPage {
                v: view,
                program,
                state,
                wait,
                accuracy,
                is_back,
                n_performances,
                notice,
                has_own_entrance,
                now,
            };
            view.show(&page, state)
        }
        None if state.status == TokenStatus::Draw => {
            let is_drawing = now >= program.on_sale_at;
            let refresh_secs = whole_secs(state.retry_after_ms.unwrap_or_default());
            view.show(&InDrawPage { v: view, program, refresh_secs, is_drawing, now }, state)
        }
        None => {
            let is_over = sale != SaleState::Open && !program.is_early(now);
            let ended = match state.status {
                TokenStatus::Cancelled | TokenStatus::Expired if is_over => "closed",
                status => status.into(),
            };
            view.show(&EndedPage { v: view, program, ended }, state)
        }
    };
    if let Some(ms) = state.retry_after_ms {
        let secs = header::HeaderValue::from(whole_secs(ms));
        response.headers_mut().insert(header::RETRY_AFTER, secs);
    }
    response
}

/// Adds the entry pass to the response for an admitted account.
fn with_pass(
    app: &App,
    request: &HttpRequest,
    mut response: HttpResponse,
    status: &StatusReport,
) -> HttpResponse {
    if let Some(stay) = &status.stay {
        entry::hand_out(app, request, &mut response, stay);
    }
    response
}
