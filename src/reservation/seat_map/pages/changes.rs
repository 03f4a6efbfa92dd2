//! Changes of an open map, for polling clients and for event streams.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Bytes, Data, Path, Query},
};
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{
    sync::broadcast::error::RecvError,
    time::{Instant, interval_at, sleep_until},
};

use super::entrance::Performance;
use crate::{
    accounts::{CachedAccount, OpenSession, OpenStream},
    app::App,
    catalog::{Programs, ScheduleId},
    reservation::seat_map::{delta::Delta, maps::SeatMaps, subscription::DeltaStream},
    text::prices::PriceUnit,
    web::{
        error::PageError, event_stream, form::Mistakes, negotiation::Format, page::document_text,
    },
};

/// Interval of heartbeats, by which both ends notice a broken stream.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Maximum duration of a stream; its viewer opens another one.
const STREAM_MAX: Duration = Duration::from_mins(10);

/// Query of the changes of a map.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Since {
    since: Option<String>,
}

impl Since {
    /// Returns the cursor; 0, which requests everything, if there is none.
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

/// Handles `GET /schedules/{id}/changes`.
pub async fn show_changes(
    app: Data<App>,
    maps: Data<SeatMaps>,
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
        let changes = maps.feed.changes(&app, *id, since).await?;
        return Ok(admitted.stamp(me.view.json(StatusCode::OK, &changes)));
    }
    let open = maps.streams.open(me.account_id)?;
    let deltas = maps.feed.view(&app, *id, since).await?;
    let lasts = left(admitted.stay.expires_at, app.now()).min(STREAM_MAX);
    Ok(admitted.stamp(event_stream::answer(events(
        deltas,
        lasts,
        me.session,
        open,
        me.view.prices,
    ))))
}

fn left(until: DateTime<Utc>, now: DateTime<Utc>) -> Duration {
    (until - now).to_std().unwrap_or_default()
}

/// Streams the missed deltas, then new ones, until the viewer's stay or session ends. The session
/// is checked at every heartbeat, whatever the number of deltas.
fn events(
    deltas: DeltaStream,
    lasts: Duration,
    session: OpenSession,
    open: OpenStream,
    prices: PriceUnit,
) -> impl Stream<Item = Bytes> {
    let DeltaStream { missed, deltas } = deltas;
    let missed = stream::iter(missed).map(move |changes| event(&changes, prices));
    let now = Instant::now();
    let (ends, beats) = (now + lasts, interval_at(now + HEARTBEAT, HEARTBEAT));
    let live = stream::unfold((deltas, beats, open), move |(mut deltas, mut beats, open)| {
        let session = session.clone();
        async move {
            let bytes = tokio::select! {
                // The order of branches keeps frequent deltas from delaying a heartbeat.
                biased;
                () = sleep_until(ends) => return None,
                _ = beats.tick() => match session.is_live().await {
                    true => event_stream::HEARTBEAT,
                    false => return None,
                },
                delta = deltas.recv() => match delta {
                    Ok(changes) => event(&changes, prices),
                    // The viewer reconnects with its cursor after the feed closed or the stream
                    // lagged.
                    Err(RecvError::Closed | RecvError::Lagged(_)) => return None,
                },
            };
            Some((bytes, (deltas, beats, open)))
        }
    });
    missed.chain(live)
}

fn event(changes: &Delta, prices: PriceUnit) -> Bytes {
    Bytes::from_owner(changes.event(|changes| document_text(changes, prices)))
}
