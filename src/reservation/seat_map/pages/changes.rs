//! What changes on an open map, for those who ask and those who listen.

use std::{convert::Infallible, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{Bytes, Data, Path, Query},
};
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;
use tokio::{
    sync::broadcast::error::RecvError,
    time::{Instant, interval_at, sleep_until},
};

use super::entrance::Performance;
use crate::{
    accounts::{CachedAccount, OpenSession},
    app::App,
    catalog::{Programs, ScheduleId},
    reservation::{
        hold::limiter::ReservationState,
        seat_map::{delta::Delta, streams::OpenStream, subscription::Viewing},
    },
    web::{error::PageError, form::Mistakes, negotiation::Format, page::json as json_answer},
};

/// A stream says something at least so often, so that both ends notice a dead one.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The longest a stream lasts; its viewer opens another one.
const STREAM_MAX: Duration = Duration::from_mins(10);

/// From where to ask.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Since {
    since: Option<String>,
}

impl Since {
    /// The cursor; without one, everything.
    fn parse(&self) -> Result<i64, Mistakes> {
        match self.since.as_deref() {
            None | Some("") => Ok(0),
            Some(cursor) => cursor
                .parse()
                .ok()
                .filter(|cursor| *cursor >= 0)
                .ok_or_else(|| Mistakes::one("since", "reservation-refusal-cursor")),
        }
    }
}

/// `GET /schedules/{id}/changes`
pub async fn show_changes(
    app: Data<App>,
    state: Data<ReservationState>,
    programs: Data<Programs>,
    request: HttpRequest,
    id: Path<ScheduleId>,
    query: Query<Since>,
    me: CachedAccount,
) -> Result<HttpResponse, PageError> {
    let since = query.parse()?;
    let performance = Performance::find(&app, &programs, *id).await?;
    let admitted = performance.admit(&app, &request, me.account_id).await?;
    if me.view.format != Format::EventStream {
        let changes = state.feed.changes(&app, *id, since).await?;
        return Ok(admitted.stamp(json_answer(StatusCode::OK, &changes)));
    }
    let open = state.streams.open(me.account_id)?;
    let viewing = state.feed.view(&app, *id, since).await?;
    let lasts = left(admitted.stay.expires_at, app.now()).min(STREAM_MAX);
    let answer = HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/event-stream"))
        // Neither compressed nor collected on its way: a change is shown when it happens.
        .insert_header((header::CONTENT_ENCODING, "identity"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(events(viewing, lasts, me.session, open));
    Ok(admitted.stamp(answer))
}

fn left(until: DateTime<Utc>, now: DateTime<Utc>) -> Duration {
    (until - now).to_std().unwrap_or_default()
}

/// What was missed, then whatever happens, until the viewer's time inside is over, or their
/// session is. That is asked at every heartbeat, which comes also while much is told.
fn events(
    viewing: Viewing,
    lasts: Duration,
    session: OpenSession,
    open: OpenStream,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let Viewing { missed, answers } = viewing;
    let opening = stream::iter([Bytes::from_static(b": open\n\n")]);
    let missed = stream::iter(missed).map(|changes| event(&changes));
    let now = Instant::now();
    let (ends, beats) = (now + lasts, interval_at(now + HEARTBEAT, HEARTBEAT));
    let live = stream::unfold((answers, beats, open), move |(mut answers, mut beats, open)| {
        let session = session.clone();
        async move {
            let bytes = tokio::select! {
                // A beat is not put off by changes that never pause.
                biased;
                () = sleep_until(ends) => return None,
                _ = beats.tick() => match session.is_live().await {
                    true => Bytes::from_static(b": here\n\n"),
                    false => return None,
                },
                answer = answers.recv() => match answer {
                    Ok(changes) => event(&changes),
                    // Over, or too far behind: the viewer asks again from its cursor.
                    Err(RecvError::Closed | RecvError::Lagged(_)) => return None,
                },
            };
            Some((bytes, (answers, beats, open)))
        }
    });
    opening.chain(missed).chain(live).map(Ok)
}

fn event(changes: &Delta) -> Bytes {
    Bytes::from_owner(changes.event())
}
