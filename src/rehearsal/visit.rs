//! What one person does at an on-sale, from the line to the ticket.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    browser::{Answer, Browser, Step},
    cast::Stage,
};

/// Tries at seats before somebody goes home.
const HOLD_TRIES_MAX: usize = 6;
/// Polls wait at least so long, whatever the server says.
const POLL_PAUSE_MIN: Duration = Duration::from_millis(100);

/// How somebody behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// Buys a seat.
    Buys,
    /// Buys two standing places.
    Stands,
    /// Leaves the line.
    Leaves,
    /// Clicks everything twice.
    DoubleClicks,
    /// Comes back on a second device while waiting.
    TwoDevices,
    /// Holds a seat and gives it back.
    ChangesMind,
}

impl Habit {
    /// The habit of the person `idx`: of ten, five simply buy a seat.
    pub(super) fn of(idx: usize) -> Self {
        match idx % 10 {
            1 => Self::Stands,
            3 => Self::Leaves,
            5 => Self::DoubleClicks,
            7 => Self::TwoDevices,
            9 => Self::ChangesMind,
            _ => Self::Buys,
        }
    }
}

/// One visit.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) browser: Browser,
    pub(super) stage: Arc<Stage>,
    pub(super) habit: Habit,
    pub(super) until: Instant,
}

impl Visit {
    /// Goes all the way, or until nothing is left to do. `wanted_us`: when this person
    /// wanted to come.
    pub(super) async fn play(self, wanted_us: Option<u64>) {
        if !(self.join(wanted_us).await && self.wait().await) {
            return;
        }
        let hold = self.hold().await;
        let reservation_id =
            hold.as_ref().and_then(|hold| hold.get("reservation_id").as_str()).map(str::to_owned);
        match reservation_id {
            Some(id) if self.habit != Habit::ChangesMind => self.pay(&id).await,
            Some(id) => {
                let path = format!("/reservations/{id}/cancellation");
                self.browser.post(Step::Cancel, &path, &json!({}), &[], None).await;
                self.leave().await;
            }
            // Whoever goes home with nothing makes room, or the rehearsal would last as long
            // as a stay does.
            None => self.leave().await,
        }
    }

    async fn leave(&self) {
        self.browser.delete(Step::Leave, &self.queue()).await;
    }

    fn queue(&self) -> String {
        format!("/programs/{}/queue", self.stage.slug)
    }

    /// Whether this person is in line and stays.
    async fn join(&self, wanted_us: Option<u64>) -> bool {
        let queue = self.queue();
        let nothing = json!({});
        let click = || self.browser.post(Step::Join, &queue, &nothing, &[], wanted_us);
        let joined = if self.habit == Habit::DoubleClicks {
            let (first, second) = tokio::join!(click(), click());
            first.is_ok() || second.is_ok()
        } else {
            click().await.is_ok()
        };
        if joined && self.habit == Habit::Leaves {
            self.browser.get(Step::Poll, &queue).await;
            self.leave().await;
            return false;
        }
        joined
    }

    /// Polls as told; true once inside.
    async fn wait(&self) -> bool {
        let queue = self.queue();
        while Instant::now() < self.until {
            let state = self.browser.get(Step::Poll, &queue).await;
            if self.habit == Habit::TwoDevices {
                self.browser.get(Step::Poll, &queue).await;
            }
            match state.get("status").as_str() {
                Some("ACTIVE") => return true,
                Some("WAITING") | None => tokio::time::sleep(pause(&state)).await,
                Some(_) => return false,
            }
        }
        false
    }

    /// What this person got hold of, if anything.
    async fn hold(&self) -> Option<Answer> {
        let path = format!("/schedules/{}/reservations", self.stage.schedule_id);
        for _ in 0..HOLD_TRIES_MAX {
            let map = format!("/schedules/{}", self.stage.schedule_id);
            let map = self.browser.get(Step::Map, &map).await;
            let key = Uuid::now_v7();
            let (order, seat_ids) = if self.habit == Habit::Stands {
                let zone_id = self.stage.zone_id;
                (json!({ "zone_id": zone_id, "quantity": 2, "request_key": key }), Vec::new())
            } else {
                let seat_ids = vec![any_free(map.get("seats"))?];
                (json!({ "seat_ids": seat_ids, "request_key": key }), seat_ids)
            };
            let answer = self.browser.post(Step::Hold, &path, &order, &seat_ids, None).await;
            if answer.is_ok() {
                return Some(answer);
            }
            match answer.refused_with() {
                "seat-unavailable" | "waiting" | "already-processing" | "" => {
                    tokio::time::sleep(pause(&answer)).await;
                }
                _ => return None,
            }
            if Instant::now() >= self.until {
                break;
            }
        }
        None
    }

    async fn pay(&self, reservation_id: &str) {
        let path = format!("/reservations/{reservation_id}/payment");
        let order = json!({ "request_key": Uuid::now_v7() });
        let click = || self.browser.post(Step::Pay, &path, &order, &[], None);
        if self.habit == Habit::DoubleClicks {
            tokio::join!(click(), click());
        } else if !click().await.is_ok() {
            // Whatever it was, the key makes asking again harmless.
            click().await;
        }
    }
}

/// A free seat, any of them.
fn any_free(seats: &Value) -> Option<i64> {
    let seats = seats.as_array()?;
    let free: Vec<i64> = seats
        .iter()
        .filter(|seat| seat.get("status").and_then(Value::as_str) == Some("AVAILABLE"))
        .filter_map(|seat| seat.get("id")?.as_i64())
        .collect();
    free.get(rand::random_range(0..free.len().max(1))).copied()
}

fn pause(answer: &Answer) -> Duration {
    let told = answer.get("retry_after_ms").as_u64().unwrap_or_default();
    Duration::from_millis(told).max(POLL_PAUSE_MIN)
}
