//! Door pages: scan, result, next scan.

pub mod guests;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    counts::DoorCounts,
    model::{CheckIn, DoorCount, Evening},
    store,
};
use crate::{
    accounts::StaffAccount,
    app::App,
    catalog::{ScheduleId, SeatKind},
    text::{i18n::Phrase, times},
    tickets::{TicketStatus, error::TicketError, model::TicketId},
    web::{
        error::{NotFound, PageError},
        form::{Body, Field, FormRefusal},
        middleware::headers,
        page::View,
    },
};

#[derive(Template)]
#[template(path = "tickets/performances.html")]
struct EveningsPage {
    v: View,
    evenings: Vec<Evening>,
}

/// Published performances from twelve hours ago to three weeks ahead.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EveningsDocument<'a> {
    performances: &'a [Evening],
}

/// `GET /door`
pub async fn list_evenings(app: Data<App>, me: StaffAccount) -> Result<HttpResponse, PageError> {
    let evenings = store::list_evenings(&app.db, app.now(), None).await?;
    let page = EveningsPage { v: me.view, evenings };
    let document = EveningsDocument { performances: &page.evenings };
    Ok(page.v.show(&page, &document))
}

/// Result that the door's page shows.
enum Answer {
    /// Nothing was scanned yet.
    Ready,
    /// The ticket was checked in.
    LetIn(CheckIn),
    /// The ticket was refused.
    Refused(FormRefusal),
    /// A check-in was undone, and the ticket has this status.
    Undone(TicketStatus),
}

#[derive(Template)]
#[template(path = "tickets/check_in.html")]
struct DoorPage {
    v: View,
    evening: Evening,
    /// Counts by section; `None` while they are being computed.
    counts: Option<Vec<DoorCount>>,
    answer: Answer,
}

impl DoorPage {
    async fn read(
        app: &App,
        counts: &DoorCounts,
        v: View,
        schedule_id: ScheduleId,
        answer: Answer,
    ) -> Result<Self, PageError> {
        let mut found = store::list_evenings(&app.db, app.now(), Some(schedule_id)).await?;
        let evening = found.pop().ok_or(NotFound)?;
        let counts = counts.of(app, schedule_id).await?;
        Ok(Self { v, evening, counts, answer })
    }

    fn sections(&self) -> &[DoorCount] {
        self.counts.as_deref().unwrap_or_default()
    }

    fn inside(&self) -> Option<i64> {
        Some(self.counts.as_ref()?.iter().map(|count| count.inside).sum())
    }

    fn expected(&self) -> Option<i64> {
        Some(self.counts.as_ref()?.iter().map(|count| count.expected).sum())
    }

    /// Returns what is wrong with a refused ticket, in a few words.
    fn title(&self, refusal: &FormRefusal) -> Option<Phrase> {
        Some(self.v.told(&refusal.problem()?, "title"))
    }

    fn place(&self, check_in: &CheckIn) -> String {
        let place = (&check_in.section, check_in.row.as_ref(), check_in.number);
        place_name(&self.v, place, check_in.kind)
    }

    fn time(&self, check_in: &CheckIn) -> String {
        times::time_of_day(check_in.used_at, times::zone(&self.evening.time_zone))
    }
}

/// Returns the name of a seat (section, row and number), with its kind, or of a zone.
fn place_name(
    v: &View,
    (section, row, number): (&String, Option<&String>, Option<i32>),
    kind: Option<SeatKind>,
) -> String {
    let name = match (row, number) {
        (Some(row), Some(number)) => {
            v.t("seat-name-full").word("section", section).word("row", row).word("number", number)
        }
        _ => v.t("reservation-standing").word("zone", section),
    };
    kind.unwrap_or_default().with_name(name, v.locale)
}

/// Query string of the page after a scan.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Scanned {
    let_in: Option<TicketId>,
    undone: Option<TicketStatus>,
}

/// Door of a performance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoorDocument<'a> {
    performance: &'a Evening,
    /// People inside; null where they could not be counted in time.
    inside: Option<i64>,
    /// Number of valid and used tickets; null like `inside`.
    expected: Option<i64>,
    sections: &'a [DoorCount],
}

/// `GET /door/{schedule_id}`
pub async fn show_door(
    app: Data<App>,
    counts: Data<DoorCounts>,
    me: StaffAccount,
    schedule_id: Path<ScheduleId>,
    scanned: Query<Scanned>,
) -> Result<HttpResponse, PageError> {
    let answer = match scanned.let_in {
        Some(id) => store::find_check_in(&app.db, *schedule_id, id)
            .await?
            .map_or(Answer::Ready, Answer::LetIn),
        None => scanned.undone.map_or(Answer::Ready, Answer::Undone),
    };
    let page = DoorPage::read(&app, &counts, me.view, *schedule_id, answer).await?;
    let document = DoorDocument {
        performance: &page.evening,
        inside: page.inside(),
        expected: page.expected(),
        sections: page.sections(),
    };
    let mut response = page.v.show(&page, &document);
    headers::allow_webassembly(&mut response);
    Ok(response)
}

/// Code as scanned or typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["code"]))]
pub struct ScanForm {
    /// Code of the ticket.
    code: Field,
}

/// `POST /door/{schedule_id}/check-ins`
pub async fn create_check_in(
    app: Data<App>,
    counts: Data<DoorCounts>,
    me: StaffAccount,
    schedule_id: Path<ScheduleId>,
    form: Body<ScanForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = match form.0.code.parse() {
        Some(code) => super::check_in(&app, me.account_id, *schedule_id, &code).await,
        None => Err(TicketError::Unknown),
    };
    match me.view.or_refusal(outcome.map_err(PageError::from))? {
        Ok(check_in) => {
            counts.note(*schedule_id, &check_in.section, 1).await;
            let next = format!("/door/{schedule_id}?let_in={}", check_in.ticket_id.0);
            Ok(me.view.done(StatusCode::CREATED, &check_in, &next))
        }
        Err(refusal) => refused(&app, &counts, me.view, *schedule_id, refusal).await,
    }
}

/// Status of a ticket whose check-in was undone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoneDocument {
    status: TicketStatus,
}

/// `POST /door/{schedule_id}/check-ins/{ticket_id}/undoing`
pub async fn undo_check_in(
    app: Data<App>,
    counts: Data<DoorCounts>,
    me: StaffAccount,
    ids: Path<(ScheduleId, TicketId)>,
) -> Result<HttpResponse, PageError> {
    let (schedule_id, ticket_id) = *ids;
    let undone = super::undo(&app, me.account_id, schedule_id, ticket_id).await;
    match me.view.or_refusal(undone.map_err(PageError::from))? {
        Ok((undone, status)) => {
            counts.note(schedule_id, &undone.section, -1).await;
            let next = format!("/door/{schedule_id}?undone={}", status.as_ref().to_uppercase());
            Ok(me.view.done(StatusCode::OK, &UndoneDocument { status }, &next))
        }
        Err(refusal) => refused(&app, &counts, me.view, schedule_id, refusal).await,
    }
}

/// Answers a refusal with the door's page.
async fn refused(
    app: &App,
    counts: &DoorCounts,
    v: View,
    schedule_id: ScheduleId,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let status = refusal.status();
    let page = DoorPage::read(app, counts, v, schedule_id, Answer::Refused(refusal)).await?;
    let mut response = page.v.html(status, &page);
    headers::allow_webassembly(&mut response);
    Ok(response)
}
