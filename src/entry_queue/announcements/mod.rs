//! Announcements to a line, as event streams bring them to the accounts that wait or are inside.
//!
//! # Concurrency
//!
//! One task an instance and program looks for what stands, as often as the cache of programs is renewed, while a stream
//! follows; the streams wait for it and ask nothing themselves.

pub mod pages;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use schemars::JsonSchema;
use serde::Serialize;
use tokio::{sync::watch, time::sleep};

use crate::{
    accounts::Streams,
    app::App,
    catalog::{LineAnnouncement, Program, ProgramId, Programs},
};

/// Interval of looks for another announcement.
const LOOK: Duration = Duration::from_secs(1);

/// Announcements of the programs that streams of one instance follow; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Announcements {
    followed: Arc<Mutex<Followed>>,
    pub(super) streams: Streams,
}

#[derive(Debug, Default)]
struct Followed {
    is_closed: bool,
    /// Latest event of each program.
    programs: HashMap<ProgramId, watch::Sender<Arc<str>>>,
}

impl Announcements {
    fn followed(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends every stream, so that a stopping instance does not wait for them.
    pub fn close(&self) {
        let mut followed = self.followed();
        followed.is_closed = true;
        followed.programs.clear();
    }

    /// Returns the event of what stands, and of what will. Its sender is gone once the instance stops.
    pub(super) fn follow(
        &self,
        app: &App,
        programs: &Programs,
        program: &Program,
    ) -> watch::Receiver<Arc<str>> {
        let mut followed = self.followed();
        if let Some(sender) = followed.programs.get(&program.id) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(event_of(program));
        if !followed.is_closed {
            followed.programs.insert(program.id, sender);
            let (all, app, programs) = (self.clone(), app.clone(), programs.clone());
            let id = program.id;
            tokio::spawn(async move { all.look(&app, &programs, id).await });
        }
        receiver
    }

    /// Sends each change of what stands while a stream follows the program.
    async fn look(&self, app: &App, programs: &Programs, id: ProgramId) {
        let name = id.to_string();
        loop {
            sleep(LOOK).await;
            let found = programs.find(app, &name).await;
            let mut followed = self.followed();
            let Some(sender) = followed.programs.get(&id) else { return };
            if sender.receiver_count() == 0 {
                followed.programs.remove(&id);
                return;
            }
            // A failed read says nothing: what was said last stands.
            if let Ok(Some(program)) = found {
                let event = event_of(&program);
                sender.send_if_modified(|last| {
                    let is_new = *last != event;
                    *last = event;
                    is_new
                });
            }
        }
    }
}

/// What the office says to a line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnnouncementsDocument<'a> {
    /// What stands, the explanation of a pause first.
    announcements: &'a [LineAnnouncement],
    /// Milliseconds that stays and holds got back so far, in all; once it has grown, their ends are later.
    given_ms: i64,
    /// Whether staff have stopped the clock: while they do, time is given again and again.
    clock_stopped: bool,
}

impl<'a> AnnouncementsDocument<'a> {
    pub(super) fn of(program: &'a Program) -> Self {
        Self {
            announcements: &program.announcements,
            given_ms: program.given_ms,
            clock_stopped: program.is_clock_stopped(),
        }
    }
}

fn event_of(program: &Program) -> Arc<str> {
    let json = serde_json::to_string(&AnnouncementsDocument::of(program)).unwrap_or_default();
    format!("data: {json}\n\n").into()
}
