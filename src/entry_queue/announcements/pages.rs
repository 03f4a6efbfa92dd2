//! Announcements to a line over HTTP: once, or as a stream of events.

use std::{sync::Arc, time::Duration};

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Bytes, Data},
};
use futures_util::{Stream, StreamExt, stream};
use tokio::{
    sync::watch,
    time::{Instant, interval_at, sleep_until},
};

use super::AnnouncementsDocument;
use crate::{
    accounts::{CachedAccount, OpenStream},
    app::App,
    catalog::Programs,
    entry_queue::{pages::program::AtProgram, state::WaitingRoom},
    web::{error::PageError, event_stream, negotiation::Format},
};

/// Interval of heartbeats, shorter than the 30 seconds after which the proxy of deploy/ gives up.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// Bounds of the duration of a stream, in seconds: its viewer opens another one, and not all at once.
const STREAM_SECS: std::ops::Range<u64> = 1_200..2_400;
/// Bounds of the pause after which a viewer opens a lost stream again, in milliseconds.
const RETRY_MS: std::ops::Range<u32> = 2_000..10_000;

/// `GET /programs/{slug}/announcements`
#[expect(clippy::unused_async, reason = "every handler is")]
pub async fn show_announcements(
    app: Data<App>,
    room: Data<WaitingRoom>,
    programs: Data<Programs>,
    AtProgram { program, me }: AtProgram<CachedAccount>,
) -> Result<HttpResponse, PageError> {
    if me.view.format != Format::EventStream {
        return Ok(me.view.json(StatusCode::OK, &AnnouncementsDocument::of(&program)));
    }
    let open = room.announcements.streams.open(me.account_id)?;
    let events = room.announcements.follow(&app, &programs, &program);
    Ok(event_stream::answer(stream_of(events, open)))
}

/// Streams what stands, and what is said from then on.
fn stream_of(mut events: watch::Receiver<Arc<str>>, open: OpenStream) -> impl Stream<Item = Bytes> {
    let now = Instant::now();
    let ends = now + Duration::from_secs(rand::random_range(STREAM_SECS));
    let beats = interval_at(now + HEARTBEAT, HEARTBEAT);
    let retry = format!("retry: {}\n", rand::random_range(RETRY_MS));
    let first = format!("{retry}{}", *events.borrow_and_update());
    let live =
        stream::unfold((events, beats, open), move |(mut events, mut beats, open)| async move {
            let bytes = tokio::select! {
                () = sleep_until(ends) => return None,
                _ = beats.tick() => event_stream::HEARTBEAT,
                changed = events.changed() => match changed {
                    Ok(()) => bytes_of(&events.borrow_and_update()),
                    Err(_) => return None,
                },
            };
            Some((bytes, (events, beats, open)))
        });
    stream::iter([Bytes::from(first)]).chain(live)
}

/// Returns the bytes of an event, which all streams share.
fn bytes_of(event: &Arc<str>) -> Bytes {
    Bytes::from_owner(SharedEvent(Arc::clone(event)))
}

/// Event that streams share.
struct SharedEvent(Arc<str>);

impl AsRef<[u8]> for SharedEvent {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
