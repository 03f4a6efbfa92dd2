//! A shopper's browsers, which send requests over HTTP and record every answer.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use url::Url;
use uuid::Uuid;

use super::{
    fixtures::model::ShopperAccount,
    history::{Event, History, Outcome, Shown, Step},
};
use crate::{
    infra::https,
    web::{READ_MAX, middleware::deadline::CHANGE_MAX},
};

/// Deadline of an answer; a later one counts as missing.
const ANSWER_MAX: Duration = Duration::from_secs(15);

/// Builds the HTTP client of all shoppers. The system's certificates are loaded for https only: a
/// small image may have none.
pub(crate) fn client(target: &Url) -> Result<Client, reqwest::Error> {
    let client = match target.scheme() {
        "https" => https::client(),
        _ => Client::builder().tls_certs_only([]),
    };
    client
        .redirect(reqwest::redirect::Policy::none())
        .timeout(ANSWER_MAX)
        .pool_max_idle_per_host(usize::MAX)
        .build()
}

/// Request to send, with the facts that the history records.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) step: Step,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) form: Value,
    pub(crate) seat_ids: Vec<i64>,
    pub(crate) places: usize,
    pub(crate) reservation_id: Option<Uuid>,
    /// Moment the shopper wanted to send the request, in microseconds; `None`: the moment of
    /// sending.
    pub(crate) wanted_us: Option<u64>,
    pub(crate) interval_us: Option<u64>,
    pub(crate) is_final: bool,
}

impl Ask {
    /// Returns a request that reads `path`.
    pub(crate) fn get(step: Step, path: &str) -> Self {
        Self {
            step,
            method: Method::GET,
            path: path.to_owned(),
            form: Value::Null,
            seat_ids: Vec::new(),
            places: 0,
            reservation_id: None,
            wanted_us: None,
            interval_us: None,
            is_final: false,
        }
    }

    /// Returns a request that posts `form` to `path`.
    pub(crate) fn post(step: Step, path: &str, form: Value) -> Self {
        Self { method: Method::POST, form, ..Self::get(step, path) }
    }
}

/// Answer to a request: its outcome and its JSON document.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    pub(crate) json: Value,
}

impl Answer {
    pub(crate) fn is_ok(&self) -> bool {
        self.outcome == Outcome::Ok
    }

    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.outcome, Outcome::Unknown(_))
    }

    pub(crate) fn refused_with(&self) -> &str {
        match &self.outcome {
            Outcome::Refused(code) => code,
            Outcome::Ok | Outcome::Unknown(_) => "",
        }
    }

    /// Returns the member `name` of the answer; null if there is none.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.json.get(name).unwrap_or(&Value::Null)
    }

    /// Returns the id of the reservation in the answer.
    pub(crate) fn reservation_id(&self) -> Option<Uuid> {
        self.get("reservation_id").as_str()?.parse().ok()
    }

    /// Returns the seats that the refusal leased to the account.
    pub(crate) fn leased_seat_ids(&self) -> Vec<i64> {
        self.list("leased_seat_ids").filter_map(Value::as_i64).collect()
    }

    fn list(&self, name: &str) -> impl DoubleEndedIterator<Item = &Value> {
        self.get(name).as_array().into_iter().flatten()
    }

    /// Records the facts of the answer in `event`.
    fn record_answer(&self, event: &mut Event) {
        event.number = self.get("queue_number").as_i64();
        event.ahead = self.get("ahead").as_i64();
        event.estimate_secs = self.get("estimated_wait_seconds").as_u64();
        event.status = self.get("status").as_str().map(str::to_owned);
        event.balance = self.get("balance").as_i64();
        event.reservation_id = event.reservation_id.or(self.reservation_id());
        if !self.is_ok() {
            event.refused_seat_ids = self.list("seat_ids").filter_map(Value::as_i64).collect();
            event.leased_seat_ids = self.leased_seat_ids();
        }
        if event.is_final {
            let newest_first = self.list("transactions");
            event.balances = newest_first
                .rev()
                .filter_map(|entry| entry.get("balance_after")?.as_i64())
                .collect();
            event.reservations = self.list("reservations").filter_map(shown).collect();
        }
    }
}

fn shown(listed: &Value) -> Option<Shown> {
    Some(Shown {
        reservation_id: listed.get("reservation_id")?.as_str()?.parse().ok()?,
        status: listed.get("status")?.as_str()?.to_owned(),
        total: listed.get("total")?.as_i64()?,
    })
}

/// Browser of a shopper on one of their two devices.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    pub(crate) account: ShopperAccount,
    pub(crate) client: Client,
    pub(crate) target: Arc<str>,
    pub(crate) history: History,
    /// Whether this is the second device.
    pub(crate) is_second: bool,
}

impl Browser {
    /// Returns the same shopper's browser on the other device.
    pub(crate) fn other_device(&self) -> Self {
        Self { is_second: !self.is_second, ..self.clone() }
    }

    /// Sends a request and records its outcome.
    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        let open = self.history.open(Event {
            account_id: self.account.account_id,
            step: ask.step,
            wanted_us: ask.wanted_us.unwrap_or(u64::MAX),
            sent_us: 0,
            ended_us: 0,
            interval_us: ask.interval_us,
            outcome: Outcome::Ok,
            number: None,
            ahead: None,
            estimate_secs: None,
            status: None,
            seat_ids: ask.seat_ids,
            places: ask.places,
            refused_seat_ids: Vec::new(),
            leased_seat_ids: Vec::new(),
            reservation_id: ask.reservation_id,
            balance: None,
            balances: Vec::new(),
            reservations: Vec::new(),
            is_final: ask.is_final,
        });
        let deadline = if ask.method.is_safe() { READ_MAX } else { CHANGE_MAX };
        let request = self.request(ask.method, &ask.path);
        let request = if ask.form.is_null() { request } else { request.json(&ask.form) };
        let answer = read(request, deadline).await;
        open.close(answer.outcome.clone(), |event| answer.record_answer(event));
        answer
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let [first, second] = &self.account.sessions;
        let session = if self.is_second { second } else { first };
        // A deployment served over https reads the second cookie name.
        self.client
            .request(method, format!("{}{path}", self.target))
            .header("accept", "application/json")
            .header("cookie", format!("session={session}; __Host-session={session}"))
    }
}

/// Sends a request and reads its answer. `deadline` is the time after which the deployment itself
/// answers that the outcome is unknown.
async fn read(request: RequestBuilder, deadline: Duration) -> Answer {
    let asked = Instant::now();
    let unknown = |why: String| Answer { outcome: Outcome::Unknown(why), json: Value::Null };
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => return unknown(describe(error)),
    };
    let status = answer.status();
    let json: Value = match answer.bytes().await {
        Ok(body) => serde_json::from_slice(&body).unwrap_or_default(),
        Err(error) => return unknown(describe(error)),
    };
    let code = json.get("code").and_then(Value::as_str).unwrap_or("no code");
    let outcome = if status.is_success() {
        Outcome::Ok
    } else if status.is_server_error() {
        let is_late = asked.elapsed() >= deadline;
        let why = if is_late { ", at the deployment's own deadline" } else { "" };
        Outcome::Unknown(format!("{} {code}{why}", status.as_u16()))
    } else {
        Outcome::Refused(code.to_owned())
    };
    Answer { outcome, json }
}

/// Describes an error in fixed words, so that equal errors can be counted.
fn describe(error: reqwest::Error) -> String {
    if error.is_timeout() {
        format!("no answer in {} s", ANSWER_MAX.as_secs())
    } else if error.is_connect() {
        "no connection".to_owned()
    } else {
        error.without_url().to_string()
    }
}
