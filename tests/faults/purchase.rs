//! One purchase by one person who asks again while an outcome is unknown.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, StatusCode, header::HeaderMap};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use url::Url;
use uuid::Uuid;

use crate::{Failure, world::TOKEN};

/// Upper bound of one answer.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// Upper bound of a purchase, with all repetitions.
const PURCHASE_MAX: Duration = Duration::from_secs(40);
/// Pause before a request is repeated.
const PAUSE: Duration = Duration::from_millis(100);
/// Price of a seat of a stage.
pub(crate) const PRICE: i64 = 1_000;
/// Points of each person at the beginning.
pub(crate) const POINTS: i64 = 10_000_000;

/// A program to buy for, with people who may.
#[derive(Debug)]
pub(crate) struct Stage {
    client: Client,
    address: Url,
    pub(crate) slug: String,
    pub(crate) schedule_id: String,
    /// Session of each person.
    sessions: Vec<String>,
}

/// Answer that is known: success, or a refusal.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    pub(crate) json: Value,
    /// Tries before it whose outcome is unknown.
    pub(crate) unknown: usize,
    /// Session that it begins; `None` if it begins none.
    pub(crate) session: Option<String>,
}

impl Stage {
    /// Makes a stage for so many people.
    pub(crate) async fn make(address: &Url, people: usize) -> Result<Self, Failure> {
        let client = client()?;
        let ask = async |path: &str, form: Value| -> Result<Value, Failure> {
            let request = client.post(address.join(path)?).bearer_auth(TOKEN);
            let request = request.header("accept", "application/json").json(&form);
            Ok(request.send().await?.error_for_status()?.json().await?)
        };
        let stage = ask("rehearsal/stages", json!({ "people": people })).await?;
        let text =
            |name: &str| stage[name].as_str().map(str::to_owned).ok_or("a stage lacks a part");
        let program_id = text("program_id")?;
        let path = format!("rehearsal/stages/{program_id}/people");
        let mut sessions: Vec<String> = Vec::new();
        while sessions.len() < people {
            const AT_ONCE_MAX: usize = 500;
            let count = (people - sessions.len()).min(AT_ONCE_MAX);
            let added = ask(&path, json!({ "count": count })).await?;
            let added = added["people"].as_array().into_iter().flatten();
            sessions.extend(added.filter_map(|one| one["sessions"][0].as_str().map(str::to_owned)));
        }
        let (slug, schedule_id) = (text("slug")?, text("schedule_id")?);
        Ok(Self { client, address: address.clone(), slug, schedule_id, sessions })
    }

    /// Opens a performance that is on sale, to so many people who sign up.
    pub(crate) async fn of_sale(address: &Url, slug: &str, people: usize) -> Result<Self, Failure> {
        let client = client()?;
        let program = client.get(address.join(&format!("programs/{slug}"))?);
        let program = program.header("accept", "application/json").send().await?;
        let program: Value = program.error_for_status()?.json().await?;
        let schedule_id = program["schedules"][0]["id"].as_str().ok_or("nothing is on sale")?;
        let (slug, schedule_id) = (slug.to_owned(), schedule_id.to_owned());
        let address = address.clone();
        let mut stage = Self { client, address, slug, schedule_id, sessions: Vec::new() };
        for _ in 0..people {
            stage.sign_up().await?;
        }
        Ok(stage)
    }

    /// Has one more person sign up, and returns which it is. Unlike the people of a stage, who leave no
    /// trace outside it, this one may send points.
    pub(crate) async fn sign_up(&mut self) -> Result<usize, Failure> {
        let nth = self.sessions.len();
        let form = json!({
            "email": self.email(nth), "name": format!("Person {nth}"),
            "password": "a password of this history",
        });
        self.begin_session("signup", &form).await
    }

    /// Logs a person in, and returns which one it is.
    pub(crate) async fn log_in(&mut self, email: &str, password: &str) -> Result<usize, Failure> {
        self.begin_session("login", &json!({ "email": email, "password": password })).await
    }

    async fn begin_session(&mut self, path: &str, form: &Value) -> Result<usize, Failure> {
        let request = self.client.post(self.address.join(path)?);
        let request = request.header("accept", "application/json").json(form);
        let answer = request.send().await?.error_for_status()?;
        let session = session_of(answer.headers()).ok_or("nobody is logged in")?;
        self.sessions.push(session);
        Ok(self.sessions.len() - 1)
    }

    /// Returns the e-mail address of person `nth` of a sale.
    pub(crate) fn email(&self, nth: usize) -> String {
        format!("person-{nth}@{}.test", self.slug)
    }

    /// Has person `nth` buy a seat; `Err` says what the person must not see.
    pub(crate) async fn buy(&self, nth: usize) -> Result<(), String> {
        let buying = timeout(PURCHASE_MAX, self.buy_in_time(nth));
        buying.await.unwrap_or_else(|_| Err(format!("nothing is bought in {PURCHASE_MAX:?}")))
    }

    async fn buy_in_time(&self, nth: usize) -> Result<(), String> {
        self.enter(nth).await?;
        let reservation = self.hold(nth).await?;
        let pay = format!("reservations/{reservation}/payment");
        let form = json!({ "request_key": Uuid::now_v7() });
        self.known(nth, Method::POST, &pay, &form).await?.expect("paying")?;
        self.expect_one_ticket(nth, &reservation).await
    }

    /// Has person `nth` join the line and wait until inside.
    pub(crate) async fn enter(&self, nth: usize) -> Result<(), String> {
        let queue = self.queue();
        let joined = self.known(nth, Method::POST, &queue, &json!({})).await?;
        if !joined.is("token-already-issued") {
            joined.expect("joining")?;
        }
        loop {
            let place = self.known(nth, Method::GET, &queue, &Value::Null).await?;
            match place.json["status"].as_str() {
                Some("ACTIVE") => return Ok(()),
                Some("WAITING") => sleep(PAUSE).await,
                _ => return Err(format!("waiting was answered with {place:?}")),
            }
        }
    }

    /// Has person `nth` leave.
    pub(crate) async fn leave(&self, nth: usize) -> Result<(), String> {
        self.known(nth, Method::DELETE, &self.queue(), &Value::Null).await.map(drop)
    }

    fn queue(&self) -> String {
        format!("programs/{}/queue", self.slug)
    }

    /// Holds a seat that is free; returns the reservation.
    async fn hold(&self, nth: usize) -> Result<String, String> {
        let performance = format!("schedules/{}", self.schedule_id);
        loop {
            let map = self.known(nth, Method::GET, &performance, &Value::Null).await?;
            let seats = map.json["seats"].as_array().into_iter().flatten();
            let free: Vec<&Value> = seats
                .filter(|seat| seat["status"] == "AVAILABLE")
                .map(|seat| &seat["id"])
                .collect();
            // One by one, so that each finds seats: the first is taken by the person before.
            let seat = free.get(nth % free.len().max(1)).ok_or("nothing is free")?;
            let form = json!({ "seat_ids": [seat], "request_key": Uuid::now_v7() });
            let path = format!("{performance}/reservations");
            let held = self.known(nth, Method::POST, &path, &form).await?;
            if !held.is("seat-unavailable") {
                let held = held.expect("holding")?;
                let id = held["reservation_id"].as_str().map(str::to_owned);
                return id.ok_or_else(|| format!("a hold without an id: {held}"));
            }
        }
    }

    /// Checks that person `nth` has this reservation, paid once, and nothing else.
    async fn expect_one_ticket(&self, nth: usize, reservation: &str) -> Result<(), String> {
        let mine = self.known(nth, Method::GET, "reservations", &Value::Null).await?;
        let mine = mine.expect("reading the reservations")?;
        let listed: Vec<(&str, &str)> = mine["reservations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| Some((one["reservation_id"].as_str()?, one["status"].as_str()?)))
            .collect();
        if listed != [(reservation, "CONFIRMED")] {
            return Err(format!("{reservation} was paid, and these are there: {listed:?}"));
        }
        let wallet = self.known(nth, Method::GET, "wallet", &Value::Null).await?;
        match wallet.expect("reading the wallet")?["balance"].as_i64() {
            Some(balance) if balance == POINTS - PRICE => Ok(()),
            other => Err(format!("one seat was paid, and the balance is {other:?}")),
        }
    }

    /// Counts the reservations of person `nth`.
    pub(crate) async fn holds(&self, nth: usize) -> Result<usize, String> {
        let mine = self.known(nth, Method::GET, "reservations", &Value::Null).await?;
        let mine = mine.expect("reading the reservations")?;
        Ok(mine["reservations"].as_array().map_or(0, Vec::len))
    }

    /// Asks until the outcome is known; `Err` is an answer that no person may see.
    pub(crate) async fn known(
        &self,
        nth: usize,
        method: Method,
        path: &str,
        form: &Value,
    ) -> Result<Answer, String> {
        let session = self.sessions.get(nth).ok_or("nobody is left to buy")?;
        self.known_in(session, method, path, form).await
    }

    /// Works as [`known`](Self::known), in any session; an empty one is none.
    pub(crate) async fn known_in(
        &self,
        session: &str,
        method: Method,
        path: &str,
        form: &Value,
    ) -> Result<Answer, String> {
        for unknown in 0.. {
            let request = self.request(session, method.clone(), path)?;
            let request = if form.is_null() { request } else { request.json(form) };
            if let Ok(answer) = request.send().await {
                let status = answer.status();
                let session = session_of(answer.headers());
                if status == StatusCode::INTERNAL_SERVER_ERROR {
                    return Err(format!("{path} was answered with {status}"));
                }
                let json = match status {
                    StatusCode::NO_CONTENT => Ok(Value::Null),
                    _ => answer.json().await,
                };
                if let Ok(json) = json
                    && !status.is_server_error()
                {
                    let answer = Answer { status, json, unknown, session };
                    // The first try is still being carried out, or ended a moment ago.
                    if !answer.is("already-processing") {
                        return Ok(answer);
                    }
                }
            }
            sleep(PAUSE).await;
        }
        Err("nobody asks for ever".to_owned())
    }

    fn request(&self, session: &str, method: Method, path: &str) -> Result<RequestBuilder, String> {
        let url = self.address.join(path).map_err(|error| error.to_string())?;
        let request = self.client.request(method, url).header("accept", "application/json");
        Ok(request.header("cookie", format!("session={session}")))
    }

    /// Returns the bytes of the request with which person `nth` joins the queue.
    pub(crate) fn join_in_bytes(&self, nth: usize) -> Vec<u8> {
        self.post_in_bytes(nth, &format!("/programs/{}/queue", self.slug), &json!({}))
    }

    /// Returns the bytes of a request with which person `nth` asks for the best seat.
    pub(crate) fn hold_in_bytes(&self, nth: usize) -> Vec<u8> {
        let path = format!("/schedules/{}/reservations", self.schedule_id);
        self.post_in_bytes(nth, &path, &json!({ "best": 1, "request_key": Uuid::now_v7() }))
    }

    fn post_in_bytes(&self, nth: usize, path: &str, form: &Value) -> Vec<u8> {
        let session = self.sessions.get(nth).map_or("", String::as_str);
        let body = form.to_string();
        format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\
             Content-Type: application/json\r\nCookie: session={session}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }
}

/// Returns the session that an answer begins.
fn session_of(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all("set-cookie").iter();
    let mut values = cookies.filter_map(|cookie| cookie.to_str().ok());
    let session = values.find_map(|cookie| cookie.strip_prefix("session="))?;
    session.split(';').next().map(str::to_owned)
}

fn client() -> Result<Client, reqwest::Error> {
    Client::builder()
        .tls_certs_only([])
        .timeout(ANSWER_MAX)
        .redirect(reqwest::redirect::Policy::none())
        .build()
}

impl Answer {
    pub(crate) fn is(&self, code: &str) -> bool {
        self.json["code"] == code
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.status.is_success()
    }

    pub(crate) fn expect(self, what: &str) -> Result<Value, String> {
        match self.status.is_success() {
            true => Ok(self.json),
            false => Err(format!("{what} was answered with {} {}", self.status, self.json)),
        }
    }
}
