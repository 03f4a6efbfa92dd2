//! The people of a history.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
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
    wallets::{Change, Fate, Shown, WalletHistory},
};
use crate::{
    Failure,
    purchase::{Answer, Stage},
};

/// People of a stage.
pub(crate) const PEOPLE: usize = 48;
/// Seats that they want: few, so that they meet.
const SEATS: usize = 24;
/// Points of everybody at the beginning.
const SAVINGS: i64 = 1_000_000;
/// Upper bound of one act with all its repetitions.
const ACT_MAX: Duration = Duration::from_mins(2);
/// Pause between two polls.
const POLL_PAUSE: Duration = Duration::from_millis(300);
/// Tries at seats before somebody leaves the line.
const HOLD_TRIES: usize = 4;

/// People who act on one stage, and what they know of each other.
#[derive(Debug)]
pub(crate) struct Crowd {
    stage: Stage,
    /// Seats that everybody wants, with their prices.
    seats: Vec<(i64, i64)>,
    began: Instant,
    until: Instant,
    operations: usize,
    pub(crate) requests: AtomicUsize,
    pub(crate) unknown: AtomicUsize,
    n_holds: AtomicUsize,
    /// Makes each amount another one.
    n_amounts: AtomicUsize,
    /// Transfers that wait for somebody, by the person.
    offered: Mutex<Vec<Vec<Offer>>>,
}

/// Transfer that waits for its receiver.
#[derive(Clone, Debug)]
struct Offer {
    id: String,
    from: usize,
    amount: i64,
}

/// Answer with the time in which it was asked for.
struct Timed {
    answer: Answer,
    asked_us: u64,
    answered_us: u64,
}

impl Timed {
    /// Returns what became of a call without a request key.
    fn fate(&self) -> Fate {
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

    /// Acts as person `nth` until it is over; `Err` says what nobody may see.
    pub(crate) async fn act(
        self: Arc<Self>,
        nth: usize,
        mut rng: StdRng,
    ) -> Result<Record, String> {
        let mut record = Record::default();
        while !self.is_over() {
            let acting = self.act_once(nth, &mut rng, &mut record);
            let acted = timeout(ACT_MAX, acting).await;
            acted.map_err(|_| format!("an act has no end in {ACT_MAX:?}"))??;
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

    async fn charge(&self, nth: usize, record: &mut Record) -> Result<(), String> {
        let amount = self.amount();
        let form = json!({ "amount": amount, "request_key": Uuid::now_v7() });
        let charged = self.ask(nth, Method::POST, "wallet/charges", &form).await?;
        // A refusal of a repeated key says that no try was carried out.
        let fate = if charged.answer.is_ok() { Fate::Done } else { Fate::Refused };
        let Timed { asked_us, answered_us, .. } = charged;
        record.changes.push(Change { wallet: nth, amount, asked_us, answered_us, fate });
        record.shown.extend(shown(nth, &charged.answer));
        Ok(())
    }

    /// Offers points to somebody.
    async fn offer(&self, nth: usize, rng: &mut StdRng) -> Result<(), String> {
        let to = (nth + rng.random_range(1..PEOPLE)) % PEOPLE;
        let amount = self.amount();
        let key = Uuid::now_v7();
        let form = json!({ "to": self.stage.email(to), "amount": amount, "request_key": key });
        let offered = self.ask(nth, Method::POST, "wallet/transfers", &form).await?;
        if let Some(id) = offered.answer.json["transfer_id"].as_str() {
            let offer = Offer { id: id.to_owned(), from: nth, amount };
            self.offered.lock().unwrap_or_else(PoisonError::into_inner)[to].push(offer);
        }
        Ok(())
    }

    /// Accepts or rejects what was offered, or its sender takes it back at the same moment.
    async fn settle(
        &self,
        nth: usize,
        rng: &mut StdRng,
        record: &mut Record,
    ) -> Result<(), String> {
        let next = self.offered.lock().unwrap_or_else(PoisonError::into_inner)[nth].pop();
        let Some(Offer { id, from, amount }) = next else { return Ok(()) };
        let post = |who: usize, what: &'static str| {
            let path = format!("wallet/transfers/{id}/{what}");
            async move { self.ask(who, Method::POST, &path, &json!({})).await }
        };
        let answered = if rng.random_range(0..3) == 0 { "rejection" } else { "acceptance" };
        let (mine, theirs) = match rng.random_range(0..3) {
            0 => {
                let (mine, theirs) = tokio::join!(post(nth, answered), post(from, "cancellation"));
                (mine?, Some(theirs?))
            }
            _ => (post(nth, answered).await?, None),
        };
        let is_taken_back = theirs.as_ref().is_some_and(|theirs| theirs.answer.is_ok());
        if is_taken_back && mine.answer.is_ok() {
            return Err(format!("transfer {id} was settled twice"));
        }
        let moves = answered == "acceptance" && !is_taken_back;
        let fate = if moves { mine.fate() } else { Fate::Refused };
        let Timed { asked_us, answered_us, .. } = mine;
        for (wallet, amount) in [(from, -amount), (nth, amount)] {
            record.changes.push(Change { wallet, amount, asked_us, answered_us, fate });
        }
        Ok(())
    }

    async fn look(&self, nth: usize, record: &mut Record) -> Result<(), String> {
        let wallet = self.ask(nth, Method::GET, "wallet", &Value::Null).await?;
        record.shown.extend(shown(nth, &wallet.answer));
        Ok(())
    }

    /// Reads the whole history of each wallet.
    pub(crate) async fn wallets(&self) -> Result<Vec<WalletHistory>, Failure> {
        let mut histories = Vec::new();
        for nth in 0..PEOPLE {
            let mut newest_first = Vec::new();
            let mut path = "wallet".to_owned();
            loop {
                let page = self.ask(nth, Method::GET, &path, &Value::Null).await?.answer.json;
                let entries = page["transactions"].as_array().into_iter().flatten();
                newest_first.extend(entries.filter_map(|entry| {
                    Some((entry["amount"].as_i64()?, entry["balance_after"].as_i64()?))
                }));
                let Some(next) = page["next"].as_str() else { break };
                path = format!("wallet?after={next}");
            }
            // What is withheld or released moves no points.
            let moved = newest_first.into_iter().rev().filter(|(amount, _)| *amount != 0);
            histories.push(WalletHistory { entries: moved.collect() });
        }
        Ok(histories)
    }

    async fn ask(
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
    fn amount(&self) -> i64 {
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

/// Returns the balance in the answer.
fn shown(wallet: usize, answer: &Answer) -> Option<Shown> {
    answer.json["balance"].as_i64().map(|balance| Shown { wallet, balance })
}
