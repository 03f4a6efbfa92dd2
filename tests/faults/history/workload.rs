//! The people of a history.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rand::{RngExt, rngs::StdRng};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::{
    line::{Joined, Polled},
    record::Record,
    seats::{Call, SeatCall},
    wallets::Fate,
};
use crate::{
    Failure,
    purchase::{Answer, Stage},
};

/// People of a stage.
pub(crate) const PEOPLE: usize = 144;
/// Seats that they want: few, so that they meet.
const SEATS: usize = 56;
/// Points of each person at the beginning.
const SAVINGS: i64 = 1_000_000;
/// Upper bound of one act with all its repetitions.
const ACT_MAX: Duration = Duration::from_mins(2);
/// Pause between two polls.
const POLL_PAUSE: Duration = Duration::from_millis(300);
/// Tries at seats before a person leaves the line.
const HOLD_TRIES: usize = 4;

/// People who act on one stage, and what they know of each other.
#[derive(Debug)]
pub(crate) struct Crowd {
    pub(super) stage: Stage,
    /// Seats that all people want, with their prices.
    seats: Vec<(i64, i64)>,
    began: Instant,
    until: Instant,
    operations: usize,
    pub(crate) requests: AtomicUsize,
    pub(crate) unknown: AtomicUsize,
    n_holds: AtomicUsize,
    /// Makes each amount another one.
    n_amounts: AtomicUsize,
    /// Transfers that wait for an answer, by the person.
    pub(super) offered: Mutex<Vec<Vec<Offer>>>,
}

/// Transfer that waits for its receiver.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) id: String,
    pub(super) from: usize,
    pub(super) amount: i64,
}

/// Answer with the time in which it was asked for.
pub(super) struct Timed {
    pub(super) answer: Answer,
    pub(super) asked_us: u64,
    pub(super) answered_us: u64,
}

impl Timed {
    /// Returns what became of a call without a request key.
    pub(super) fn fate(&self) -> Fate {
        match (self.answer.is_ok(), self.answer.unknown) {
            (true, _) => Fate::Done,
            (false, 0) => Fate::Refused,
            (false, _) => Fate::Unknown,
        }
    }
}

impl Crowd {
    pub(crate) async fn new(
        stage: Stage,
        operations: usize,
        until: Instant,
    ) -> Result<Self, Failure> {
        let mut crowd = Self {
            stage,
            seats: Vec::new(),
            began: Instant::now(),
            until,
            operations,
            requests: AtomicUsize::new(0),
            unknown: AtomicUsize::new(0),
            n_holds: AtomicUsize::new(0),
            n_amounts: AtomicUsize::new(0),
            offered: Mutex::new(vec![Vec::new(); PEOPLE]),
        };
        for nth in 0..PEOPLE {
            let form = json!({ "amount": SAVINGS, "request_key": Uuid::now_v7() });
            crowd.ask(nth, Method::POST, "wallet/charges", &form).await?.answer.expect("saving")?;
        }
        let mut nobody = Record::default();
        crowd.enter(0, &mut nobody).await?;
        let map = crowd.ask(0, Method::GET, &crowd.performance(), &Value::Null).await?;
        let seats = map.answer.json["seats"].as_array().into_iter().flatten();
        let free = seats.filter(|seat| seat["status"] == "AVAILABLE");
        let wanted = free.filter_map(|seat| Some((seat["id"].as_i64()?, seat["price"].as_i64()?)));
        crowd.seats = wanted.take(SEATS).collect();
        crowd.leave(0).await?;
        match crowd.seats.len() {
            SEATS => Ok(crowd),
            n => Err(format!("only {n} seats are free").into()),
        }
    }

    /// Returns the prices of the seats.
    pub(crate) fn prices(&self) -> Vec<i64> {
        self.seats.iter().map(|(_, price)| *price).collect()
    }

    /// Whether as much was asked as was meant to be.
    pub(crate) fn is_over(&self) -> bool {
        self.requests.load(Ordering::Relaxed) >= self.operations || Instant::now() >= self.until
    }

    /// Acts as person `nth` until it is over; `Err` says what no person may see.
    pub(crate) async fn act(
        self: Arc<Self>,
        nth: usize,
        mut rng: StdRng,
    ) -> Result<Record, String> {
        let mut record = Record::default();
        while !self.is_over() {
            let acting = self.act_once(nth, &mut rng, &mut record);
            let acted = timeout(ACT_MAX, acting).await;
            acted.map_err(|_elapsed| format!("an act has no end in {ACT_MAX:?}"))??;
        }
        Ok(record)
    }

    async fn act_once(
        &self,
        nth: usize,
        rng: &mut StdRng,
        record: &mut Record,
    ) -> Result<(), String> {
        match rng.random_range(0..10) {
            0..4 => self.buy(nth, rng, record).await,
            4 | 5 => self.charge(nth, record).await,
            6 | 7 => self.offer(nth, rng).await,
            8 => self.settle(nth, rng, record).await,
            _ => self.look(nth, record).await,
        }
    }

    /// Gets a seat, and gives it back paid or unpaid.
    async fn buy(&self, nth: usize, rng: &mut StdRng, record: &mut Record) -> Result<(), String> {
        if !self.enter(nth, record).await? {
            return Ok(());
        }
        for _ in 0..HOLD_TRIES {
            let (seat, _) = self.seats[rng.random_range(0..self.seats.len())];
            let form = json!({ "seat_ids": [seat], "request_key": Uuid::now_v7() });
            let path = format!("{}/reservations", self.performance());
            let held = self.ask(nth, Method::POST, &path, &form).await?;
            if held.answer.is("seat-unavailable") {
                continue;
            }
            if !held.answer.is_ok() {
                break;
            }
            let id = held.answer.json["reservation_id"].as_str().unwrap_or_default().to_owned();
            let number = self.n_holds.fetch_add(1, Ordering::Relaxed);
            let mut note = |call: Call, timed: &Timed| {
                if timed.fate() != Fate::Refused {
                    let answered_us = (timed.fate() == Fate::Done).then_some(timed.answered_us);
                    record.seats.push(SeatCall {
                        seat,
                        call,
                        asked_us: timed.asked_us,
                        answered_us,
                    });
                }
            };
            note(Call::Hold(number), &held);
            let give_back = format!("reservations/{id}/cancellation");
            if rng.random_range(0..10) < 3 {
                let back = self.ask(nth, Method::POST, &give_back, &json!({})).await?;
                note(Call::Release(number), &back);
                continue;
            }
            let form = json!({ "request_key": Uuid::now_v7() });
            let pay = format!("reservations/{id}/payment");
            let paid = self.ask(nth, Method::POST, &pay, &form).await?;
            note(Call::Pay(number), &paid);
            if paid.answer.is_ok() {
                let back = self.ask(nth, Method::POST, &give_back, &json!({})).await?;
                note(Call::Refund(number), &back);
                return Ok(());
            }
        }
        self.leave(nth).await
    }

    /// Joins the line and waits; whether the person is inside.
    async fn enter(&self, nth: usize, record: &mut Record) -> Result<bool, String> {
        let queue = self.queue();
        let joined = self.ask(nth, Method::POST, &queue, &json!({})).await?;
        // The number of a refusal may be of an earlier place.
        if let Some(number) = joined.answer.json["queue_number"].as_i64()
            && joined.answer.is_ok()
        {
            let Timed { asked_us, answered_us, .. } = joined;
            record.joins.push(Joined { number, asked_us, answered_us });
        }
        while !self.is_over() {
            let polled = self.ask(nth, Method::GET, &queue, &Value::Null).await?;
            let status = polled.answer.json["status"].as_str();
            let is_inside = status == Some("ACTIVE");
            if !is_inside && status != Some("WAITING") {
                return Ok(false);
            }
            if let Some(number) = polled.answer.json["queue_number"].as_i64() {
                let Timed { asked_us, answered_us, .. } = polled;
                record.polls.push(Polled { number, asked_us, answered_us, is_inside });
            }
            if is_inside {
                return Ok(true);
            }
            sleep(POLL_PAUSE).await;
        }
        Ok(false)
    }

    async fn leave(&self, nth: usize) -> Result<(), String> {
        self.ask(nth, Method::DELETE, &self.queue(), &Value::Null).await.map(drop)
    }

    pub(super) async fn ask(
        &self,
        nth: usize,
        method: Method,
        path: &str,
        form: &Value,
    ) -> Result<Timed, String> {
        let asked_us = self.now_us();
        let answer = self.stage.known(nth, method, path, form).await?;
        self.requests.fetch_add(1 + answer.unknown, Ordering::Relaxed);
        self.unknown.fetch_add(answer.unknown, Ordering::Relaxed);
        Ok(Timed { answer, asked_us, answered_us: self.now_us() })
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Returns an amount that nothing else has: an odd one, unlike prices.
    pub(super) fn amount(&self) -> i64 {
        let nth = self.n_amounts.fetch_add(1, Ordering::Relaxed);
        1 + 2 * i64::try_from(nth).unwrap_or_default()
    }

    fn queue(&self) -> String {
        format!("programs/{}/queue", self.stage.slug)
    }

    fn performance(&self) -> String {
        format!("schedules/{}", self.stage.schedule_id)
    }
}
