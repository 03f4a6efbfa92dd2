//! One person's browser: it asks over HTTP like any other and notes every answer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::cast::Actor;

/// An answer that takes longer is none.
const ANSWER_MAX: Duration = Duration::from_secs(15);

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Step {
    /// A place in line.
    Join,
    /// Where the place is now.
    Poll,
    /// To give the place up.
    Leave,
    /// The seat map.
    Map,
    /// Seats or places.
    Hold,
    /// To give a hold back.
    Cancel,
    /// To pay a hold.
    Pay,
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    /// It was carried out.
    Ok,
    /// It was refused, with this code.
    Refused(String),
    /// Nobody knows: no answer, or one that means "unknown".
    Unknown(String),
}

/// One request and how it ended. Times are microseconds since the rehearsal began.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Event {
    pub(super) account_id: Uuid,
    pub(super) step: Step,
    /// When the person wanted to ask.
    pub(super) wanted_us: u64,
    /// When the request was sent.
    pub(super) sent_us: u64,
    /// When the answer was there.
    pub(super) ended_us: u64,
    pub(super) outcome: Outcome,
    /// The queue number, where the answer named one.
    pub(super) number: Option<i64>,
    /// How many were ahead, where the answer said it.
    pub(super) ahead: Option<i64>,
    /// The seats that were asked for.
    pub(super) seat_ids: Vec<i64>,
}

impl Event {
    /// How long the person waited: also for the request to be sent.
    pub(super) fn latency_us(&self) -> u64 {
        self.ended_us.saturating_sub(self.wanted_us)
    }
}

/// What happened, in the order it ended.
#[derive(Clone, Debug)]
pub(super) struct History {
    began: Instant,
    events: Arc<Mutex<Vec<Event>>>,
}

impl History {
    pub(super) fn begin() -> Self {
        Self { began: Instant::now(), events: Arc::default() }
    }

    pub(super) fn now_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn note(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// Everything so far.
    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many requests of a kind were carried out so far.
    pub(super) fn count_ok(&self, step: Step) -> usize {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.iter().filter(|event| event.step == step && event.outcome == Outcome::Ok).count()
    }
}

/// An answer as far as it matters here.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) outcome: Outcome,
    pub(super) json: Value,
}

impl Answer {
    pub(super) fn is_ok(&self) -> bool {
        self.outcome == Outcome::Ok
    }

    pub(super) fn refused_with(&self) -> &str {
        match &self.outcome {
            Outcome::Refused(code) => code,
            Outcome::Ok | Outcome::Unknown(_) => "",
        }
    }

    /// The member `name` of the answer; null where there is none.
    pub(super) fn get(&self, name: &str) -> &Value {
        self.json.get(name).unwrap_or(&Value::Null)
    }
}

/// A client for everybody.
pub(super) fn client() -> Result<Client, reqwest::Error> {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(ANSWER_MAX)
        .pool_max_idle_per_host(usize::MAX)
        .build()
}

/// Somebody's browser.
#[derive(Clone, Debug)]
pub(super) struct Browser {
    pub(super) actor: Actor,
    pub(super) client: Client,
    pub(super) target: Arc<str>,
    pub(super) history: History,
}

impl Browser {
    /// Reads `path`.
    pub(super) async fn get(&self, step: Step, path: &str) -> Answer {
        self.send(step, self.ask(Method::GET, path), &[], None).await
    }

    /// Sends `form` to `path`, and waited for it since `wanted_us`.
    pub(super) async fn post(
        &self,
        step: Step,
        path: &str,
        form: &impl Serialize,
        seat_ids: &[i64],
        wanted_us: Option<u64>,
    ) -> Answer {
        self.send(step, self.ask(Method::POST, path).json(form), seat_ids, wanted_us).await
    }

    /// Deletes `path`.
    pub(super) async fn delete(&self, step: Step, path: &str) -> Answer {
        self.send(step, self.ask(Method::DELETE, path), &[], None).await
    }

    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.target))
            .header("accept", "application/json")
            .header("cookie", format!("session={}", self.actor.session))
    }

    async fn send(
        &self,
        step: Step,
        request: RequestBuilder,
        seat_ids: &[i64],
        wanted_us: Option<u64>,
    ) -> Answer {
        let sent_us = self.history.now_us();
        let answer = read(request).await;
        self.history.note(Event {
            account_id: self.actor.account_id,
            step,
            wanted_us: wanted_us.unwrap_or(sent_us),
            sent_us,
            ended_us: self.history.now_us(),
            outcome: answer.outcome.clone(),
            number: answer.get("queue_number").as_i64(),
            ahead: answer.get("ahead").as_i64(),
            seat_ids: seat_ids.to_vec(),
        });
        answer
    }
}

async fn read(request: RequestBuilder) -> Answer {
    let unknown = |why: String| Answer { outcome: Outcome::Unknown(why), json: Value::Null };
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => return unknown(error.without_url().to_string()),
    };
    let status = answer.status();
    let json: Value = match answer.bytes().await {
        Ok(body) => serde_json::from_slice(&body).unwrap_or_default(),
        Err(error) => return unknown(error.without_url().to_string()),
    };
    let code = json.get("code").and_then(Value::as_str).unwrap_or("no code");
    let outcome = if status.is_success() {
        Outcome::Ok
    } else if status.is_server_error() {
        Outcome::Unknown(format!("{} {code}", status.as_u16()))
    } else {
        Outcome::Refused(code.to_owned())
    };
    Answer { outcome, json }
}
