//! A shopper's run through an on-sale, from the queue to the ticket.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    browser::{Answer, Ask, Browser},
    choosing::Choosing,
    fixtures::model::Stage,
    history::Step,
};

use crate::infra::ids::new_id;

/// Upper bound of tries at seats before a shopper gives up.
const HOLD_TRIES_MAX: usize = 6;
/// Lower bound of the pause between polls, also if the server advises a shorter one.
const POLL_PAUSE_MIN: Duration = Duration::from_millis(100);

/// Upper bound of repetitions of a request whose outcome is unknown.
const REPETITIONS_MAX: usize = 20;
/// Lower bound of the pause before such a repetition.
const REPETITION_PAUSE_MIN: Duration = Duration::from_millis(500);

/// Behaviour of a shopper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Habit {
    /// Buys a seat.
    Buys,
    /// Buys two standing places.
    Stands,
    /// Loads every page twice.
    Reloads,
    /// Leaves the queue.
    Leaves,
    /// Sends every change twice.
    DoubleClicks,
    /// Changes to a second device while waiting, and buys there.
    TwoDevices,
    /// Holds a seat and cancels it.
    ChangesMind,
}

impl Habit {
    /// Returns the habit of the shopper `idx`: four of ten simply buy a seat.
    pub(crate) fn of(idx: usize) -> Self {
        match idx % 10 {
            1 => Self::Stands,
            2 => Self::Reloads,
            3 => Self::Leaves,
            5 => Self::DoubleClicks,
            7 => Self::TwoDevices,
            9 => Self::ChangesMind,
            _ => Self::Buys,
        }
    }
}

/// Run of one shopper.
#[derive(Debug)]
pub(crate) struct ShopperRun {
    pub(crate) browser: Browser,
    pub(crate) stage: Arc<Stage>,
    pub(crate) habit: Habit,
    pub(crate) choosing: Option<Choosing>,
    /// Beginning of the rehearsal.
    pub(crate) began: Instant,
    pub(crate) until: Instant,
}

impl ShopperRun {
    /// Sends all requests of the run, until nothing is left to do. `wanted_us` is the moment the
    /// shopper wanted to arrive.
    pub(crate) async fn run(mut self, wanted_us: u64) {
        if !(self.join(wanted_us).await && self.wait().await) {
            return;
        }
        if let Some(choosing) = self.choosing {
            tokio::time::sleep(choosing.pause(self.began.elapsed())).await;
        }
        match self.hold().await {
            Some(id) if self.habit != Habit::ChangesMind => self.pay(id).await,
            Some(id) => {
                let path = format!("/reservations/{id}/cancellation");
                let cancel = Ask::post(Step::Cancel, &path, json!({}));
                self.send(Ask { reservation_id: Some(id), ..cancel }).await;
                self.leave().await;
            }
            // A shopper who got nothing leaves, or the rehearsal would last as long as an admission
            // does.
            None => self.leave().await,
        }
    }

    async fn leave(&self) {
        let leave = Ask::get(Step::Leave, &self.queue());
        self.send(Ask { method: reqwest::Method::DELETE, ..leave }).await;
    }

    /// Sends the request, again while its outcome is unknown: a request key, or the account's only
    /// place in the queue, makes repeating it harmless.
    async fn send(&self, ask: Ask) -> Answer {
        let mut answer = self.browser.send(ask.clone()).await;
        for _ in 0..REPETITIONS_MAX {
            if !answer.is_unknown() || Instant::now() >= self.until {
                break;
            }
            tokio::time::sleep(pause(&answer).max(REPETITION_PAUSE_MIN)).await;
            answer = self.browser.send(ask.clone()).await;
        }
        answer
    }

    fn queue(&self) -> String {
        format!("/programs/{}/queue", self.stage.slug)
    }

    /// Joins the queue; whether the shopper is in it and stays.
    async fn join(&self, wanted_us: u64) -> bool {
        let join = Ask::post(Step::Join, &self.queue(), json!({}));
        let joined = self.click(Ask { wanted_us: Some(wanted_us), ..join }).await;
        // An earlier try may have joined without an answer.
        let joined = joined.is_ok() || joined.refused_with() == "token-already-issued";
        if joined && self.habit == Habit::Leaves {
            self.browser.send(Ask::get(Step::Poll, &self.queue())).await;
            self.leave().await;
            return false;
        }
        joined
    }

    /// Sends the request, twice at once for the habit of clicking twice; then returns the answer
    /// that succeeded, if one did.
    async fn click(&self, ask: Ask) -> Answer {
        if self.habit == Habit::DoubleClicks {
            let (first, second) = tokio::join!(self.send(ask.clone()), self.send(ask));
            return if second.is_ok() { second } else { first };
        }
        self.send(ask).await
    }

    /// Polls at the intervals the server asks for; true once admitted.
    async fn wait(&mut self) -> bool {
        let mut poll = Ask::get(Step::Poll, &self.queue());
        while Instant::now() < self.until {
            let state = self.browser.send(poll.clone()).await;
            match self.habit {
                Habit::TwoDevices => self.browser = self.browser.other_device(),
                Habit::Reloads => {
                    self.browser.send(Ask::get(Step::Poll, &self.queue())).await;
                }
                _ => (),
            }
            let pause = pause(&state);
            match state.get("status").as_str() {
                Some("ACTIVE") => return true,
                Some("WAITING") | None => {
                    let pause_us = u64::try_from(pause.as_micros()).unwrap_or(u64::MAX);
                    poll.wanted_us = Some(self.browser.history.now_us().saturating_add(pause_us));
                    poll.interval_us = Some(pause_us);
                    tokio::time::sleep(pause).await;
                }
                Some(_) => return false,
            }
        }
        false
    }

    /// Holds a seat or places; returns the reservation, `None` if no try succeeded.
    async fn hold(&self) -> Option<Uuid> {
        let path = format!("/schedules/{}/reservations", self.stage.schedule_id);
        let mut leased = Vec::new();
        for _ in 0..HOLD_TRIES_MAX {
            let ask = match leased.is_empty() {
                true => self.choose(&path).await?,
                false => hold_seats(&path, std::mem::take(&mut leased)),
            };
            let answer = self.click(ask).await;
            if answer.is_ok() {
                return answer.reservation_id();
            }
            match answer.refused_with() {
                // One click on the seats that the refusal leased.
                "seat-unavailable" if !answer.leased_seat_ids().is_empty() => {
                    leased = answer.leased_seat_ids();
                }
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

    /// Returns a hold request for what the map shows; `None` if nothing is left.
    async fn choose(&self, path: &str) -> Option<Ask> {
        let map = Ask::get(Step::Map, &format!("/schedules/{}", self.stage.schedule_id));
        if self.habit == Habit::Reloads {
            self.browser.send(map.clone()).await;
        }
        let map = self.browser.send(map).await;
        if self.habit == Habit::Stands {
            let (zone_id, key) = (self.stage.zone_id, new_id());
            let order = json!({ "zone_id": zone_id, "quantity": 2, "request_key": key });
            return Some(Ask { places: 2, ..Ask::post(Step::Hold, path, order) });
        }
        Some(hold_seats(path, vec![any_free(map.get("seats"))?]))
    }

    async fn pay(&self, id: Uuid) {
        let path = format!("/reservations/{id}/payment");
        let pay = Ask::post(Step::Pay, &path, json!({ "request_key": new_id() }));
        let pay = Ask { reservation_id: Some(id), ..pay };
        if self.habit == Habit::Reloads {
            self.browser.send(Ask::get(Step::Wallet, "/wallet")).await;
        }
        if !self.click(pay.clone()).await.is_ok() {
            // The request key makes repeating the payment harmless after any first outcome.
            self.send(pay).await;
        }
        if matches!(self.habit, Habit::Reloads | Habit::TwoDevices) {
            self.browser.send(Ask::get(Step::Wallet, "/wallet")).await;
        }
    }
}

/// Returns a hold request for `seat_ids`.
fn hold_seats(path: &str, seat_ids: Vec<i64>) -> Ask {
    let order = json!({ "seat_ids": seat_ids, "request_key": new_id() });
    let places = seat_ids.len();
    Ask { seat_ids, places, ..Ask::post(Step::Hold, path, order) }
}

/// Returns a random free seat.
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
    let advised_ms = answer.get("retry_after_ms").as_u64().unwrap_or_default();
    Duration::from_millis(advised_ms).max(POLL_PAUSE_MIN)
}
