//! A stand-in for Stripe in a process of its own, written from the published interface: checkouts,
//! idempotency keys, signed messages, and answers that fail or do not come.

mod server;

pub use server::serve_or_ask;

use std::process::{Child, Command, Stdio};

use reqwest::Client;
use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Answer, Office, Person, eventually, free_port};

/// Secret that signs its messages.
pub const WEBHOOK_SECRET: &str = "whsec_0123456789abcdef0123456789abcdef";
const SECRET_KEY: &str = "sk_test_0123456789abcdef0123456789abcdef";
/// Test that serves as the stand-in, in the target whose tests use it.
const SERVER: &str =
    "support::stripe::server::the_stand_in_for_stripe_serves_in_a_process_of_its_own";
/// Says to the process that it is to be the stand-in, and where it listens.
const PORT: &str = "STRIPE_STAND_IN_PORT";

/// Stand-in that runs until it is dropped.
#[derive(Debug)]
pub struct StripeStandIn {
    port: u16,
    process: Child,
    client: Client,
}

/// Signed message, as it travels.
#[derive(Clone, Debug)]
pub struct SignedEvent {
    pub signature: String,
    pub body: String,
}

/// What a message differs in from the true one.
#[derive(Clone, Copy, Debug)]
pub struct EventOptions {
    pub secret: &'static str,
    pub age_secs: i64,
    /// Time at which it says that it happened, in seconds since the epoch.
    pub happened_secs: Option<i64>,
    /// Refunded amount before the change that it tells.
    pub refunded_before: Option<i64>,
}

impl Default for EventOptions {
    fn default() -> Self {
        Self { secret: WEBHOOK_SECRET, age_secs: 0, happened_secs: None, refunded_before: None }
    }
}

impl StripeStandIn {
    /// Starts the process, which is this program again, and waits until it answers.
    pub async fn start() -> Self {
        let port = free_port();
        let process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", SERVER])
            .env(PORT, port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stand_in = Self { port, process, client: Client::new() };
        let href = stand_in.href("/control/sessions");
        eventually("a stand-in", async || reqwest::get(&href).await).await;
        stand_in
    }

    /// Opens an office of `count` instances that sell points through this stand-in.
    pub async fn office(&self, db: &PgPool, count: usize) -> Office {
        let api_url = self.href("");
        Office::open_with(db.clone(), count, &settings(&api_url)).await
    }

    /// Returns the settings of an office that sells points through this stand-in.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let api_url = self.href("");
        settings(&api_url).map(|(name, value)| (name, value.to_owned())).to_vec()
    }

    /// Sets the refunds and disputes of a payment, of which no message tells.
    pub async fn set_money(&self, payment: &Value, refunds: &Value, disputes: &Value) {
        let all = json!({ "payment_intent": payment, "refunds": refunds, "disputes": disputes });
        self.control("/control/money", &all).await;
    }

    /// Adds a charge that no checkout of this office made.
    pub async fn add_charge(&self, charge: &Value) {
        self.control("/control/charge", charge).await;
    }

    /// Lists the refunds of all payments.
    pub async fn refunds(&self) -> Vec<Value> {
        let answer = self.client.get(self.href("/control/refunds")).send().await.unwrap();
        answer.json::<Value>().await.unwrap().as_array().unwrap().clone()
    }

    /// Gives a refund another state, and returns it.
    pub async fn change_refund(&self, id: &Value, status: &str, reason: &str) -> Value {
        let asked = json!({ "id": id, "status": status, "failure_reason": reason });
        self.control("/control/refund", &asked).await
    }

    /// Forgets the keys of all requests, as after a day.
    pub async fn forget_keys(&self) {
        self.control("/control/forget", &json!({})).await;
    }

    /// Sets how `what` (`create`, `get`, `refund`, `money` or `list`) is answered: `ok`, `error`, `refuse`, `silent` (never),
    /// or `late` (done, and answered after the caller has gone).
    pub async fn answer(&self, what: &str, how: &str) {
        self.control("/control/mode", &json!({ "what": what, "how": how })).await;
    }

    /// Lists the checkouts, oldest first.
    pub async fn sessions(&self) -> Vec<Value> {
        let answer = self.client.get(self.href("/control/sessions")).send().await.unwrap();
        answer.json::<Value>().await.unwrap().as_array().unwrap().clone()
    }

    /// Changes the checkout `id` as its page would: `paid`, `processing` or `expired`.
    pub async fn change(&self, id: &str, to: &str) -> Value {
        self.control("/control/change", &json!({ "id": id, "to": to })).await
    }

    /// Signs a message about `object`.
    pub async fn sign(&self, kind: &str, object: &Value, options: EventOptions) -> SignedEvent {
        let asked = json!({
            "type": kind, "object": object, "secret": options.secret, "age_secs": options.age_secs,
            "created": options.happened_secs, "refunded_before": options.refunded_before,
        });
        let signed = self.control("/control/sign", &asked).await;
        let text = |name: &str| signed[name].as_str().unwrap().to_owned();
        SignedEvent { signature: text("signature"), body: text("body") }
    }

    /// Signs the message that a checkout was paid.
    pub async fn completed(&self, session: &Value) -> SignedEvent {
        self.sign("checkout.session.completed", session, EventOptions::default()).await
    }

    async fn control(&self, path: &str, form: &Value) -> Value {
        let answer = self.client.post(self.href(path)).json(form).send().await.unwrap();
        assert!(answer.status().is_success(), "{path} {form}");
        answer.json().await.unwrap()
    }

    fn href(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

fn settings(api_url: &str) -> [(&'static str, &str); 5] {
    [
        ("PAYMENT_PROVIDER", "stripe"),
        ("PUBLIC_URL", "http://tickets.localhost"),
        ("STRIPE_SECRET_KEY", SECRET_KEY),
        ("STRIPE_WEBHOOK_SECRET", WEBHOOK_SECRET),
        ("STRIPE_API_URL", api_url),
    ]
}

impl SignedEvent {
    /// Delivers the message to the instance of `at`.
    pub async fn deliver(&self, at: &Person) -> Answer {
        let request = at.asks(reqwest::Method::POST, "/webhooks/stripe", "*/*");
        let request = request
            .header("content-type", "application/json")
            .header("stripe-signature", &self.signature)
            .body(self.body.clone());
        at.send(request).await
    }
}

/// Orders points as a browser, and returns the checkout to which it is sent.
pub async fn order_points(person: &Person, points: i64) -> (Answer, String) {
    let form = [("amount", points.to_string()), ("request_key", Uuid::now_v7().to_string())];
    let answer = person.submit("/wallet/charges", &form).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let id = answer.location().rsplit('/').next().unwrap().to_owned();
    (answer, id)
}

impl Drop for StripeStandIn {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
