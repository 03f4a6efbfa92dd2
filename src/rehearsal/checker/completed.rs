//! Completed steps of a history.

use super::super::history::{Event, Step};

/// Lists the requests of a kind that succeeded.
pub(crate) fn done(events: &[Event], step: Step) -> impl Iterator<Item = &Event> {
    events.iter().filter(move |event| event.step == step && event.is_ok())
}
