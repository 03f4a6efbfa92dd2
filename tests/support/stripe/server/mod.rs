//! The process of the stand-in.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    web::{self, Data, Form, Json, Path, Query},
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{PORT, SECRET_KEY, StripeStandIn};

mod lists;
mod page;
mod refunds;

/// Longer than the office waits.
const LATE: Duration = Duration::from_secs(8);
/// Shortest time that a checkout may be open, in seconds.
const OPEN_SECS_MIN: i64 = 30 * 60;

#[derive(Default)]
struct Stripe {
    modes: HashMap<String, String>,
    sessions: Vec<Value>,
    /// Refunds and disputes of each payment.
    money: HashMap<String, (Vec<Value>, Vec<Value>)>,
    /// Parameters and checkout of each idempotency key.
    keys: HashMap<String, (HashMap<String, String>, String)>,
    /// Charges that no checkout of this office made.
    others: Vec<Value>,
    /// Number of requests for a refund so far.
    n_refund_requests: usize,
}

type Shared = Data<Mutex<Stripe>>;

impl Stripe {
    fn mode(&self, what: &str) -> String {
        self.modes.get(what).cloned().unwrap_or_else(|| "ok".to_owned())
    }

    fn find(&mut self, id: &str) -> Option<&mut Value> {
        self.sessions.iter_mut().find(|session| session["id"] == id)
    }
}

/// Serves until it is killed, in the process of the stand-in; any other process starts one and
/// asks it.
pub fn serve_or_ask() {
    let Ok(port) = std::env::var(PORT) else {
        return actix_web::rt::System::new().block_on(async {
            let stand_in = StripeStandIn::start().await;
            assert!(stand_in.sessions().await.is_empty());
        });
    };
    let shared: Shared = Data::new(Mutex::default());
    actix_web::rt::System::new().block_on(async move {
        let server = HttpServer::new(move || {
            App::new()
                .app_data(shared.clone())
                .route("/v1/checkout/sessions", web::post().to(create_session))
                .route("/v1/checkout/sessions/{id}", web::get().to(get_session))
                .route("/pay/{id}", web::get().to(page::show))
                .route("/pay/{id}", web::post().to(page::pay))
                .route("/v1/payment_intents/{id}", web::get().to(get_intent))
                .route("/v1/disputes", web::get().to(list_disputes))
                .route("/v1/charges", web::get().to(lists::charges))
                .route("/control/charge", web::post().to(lists::add))
                .route("/v1/refunds", web::post().to(refunds::create))
                .route("/v1/refunds", web::get().to(refunds::list))
                .route("/v1/refunds/{id}", web::get().to(refunds::get))
                .route("/control/refunds", web::get().to(refunds::list_all))
                .route("/control/refund", web::post().to(refunds::change))
                .route("/control/forget", web::post().to(refunds::forget_keys))
                .route("/control/money", web::post().to(set_money))
                .route("/control/sessions", web::get().to(list_sessions))
                .route("/control/mode", web::post().to(set_mode))
                .route("/control/change", web::post().to(change_session))
                .route("/control/sign", web::post().to(sign_event))
        });
        let server = server.workers(1).bind(("127.0.0.1", port.parse::<u16>().unwrap())).unwrap();
        server.run().await.unwrap();
    });
}

fn lock(shared: &Shared) -> MutexGuard<'_, Stripe> {
    shared.lock().unwrap()
}

#[expect(clippy::disallowed_methods, reason = "another company has a clock of its own")]
fn now() -> i64 {
    chrono::Utc::now().timestamp()
}

fn refused(status: u16, kind: &str, code: &str) -> HttpResponse {
    let status = actix_web::http::StatusCode::from_u16(status).unwrap();
    HttpResponse::build(status).json(json!({ "error": { "type": kind, "code": code } }))
}

/// Refuses a request without the key or the version; `None` lets it pass.
fn refuse_stranger(request: &HttpRequest) -> Option<HttpResponse> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
    let is_known = header("authorization") == Some(&format!("Bearer {SECRET_KEY}"));
    let has_version = header("stripe-version").is_some_and(|version| version.contains('-'));
    (!is_known || !has_version).then(|| refused(401, "invalid_request_error", "api_key"))
}

/// Answers as the mode says, `done` if it says nothing else.
async fn answer(mode: &str, done: HttpResponse) -> HttpResponse {
    match mode {
        "silent" => std::future::pending().await,
        "late" => tokio::time::sleep(LATE).await,
        _ => {}
    }
    done
}

async fn create_session(
    shared: Shared,
    request: HttpRequest,
    Form(form): Form<HashMap<String, String>>,
) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    let key = request.headers().get("idempotency-key").unwrap().to_str().unwrap().to_owned();
    let mode = lock(&shared).mode("create");
    match mode.as_str() {
        "error" => return refused(500, "api_error", ""),
        "refuse" => return refused(400, "invalid_request_error", "amount_too_small"),
        "silent" => return answer("silent", HttpResponse::Ok().finish()).await,
        _ => {}
    }
    let done = created(&mut lock(&shared), &request, key, form);
    answer(&mode, done).await
}

fn created(
    stripe: &mut Stripe,
    request: &HttpRequest,
    key: String,
    form: HashMap<String, String>,
) -> HttpResponse {
    if let Some((before, id)) = stripe.keys.get(&key).cloned() {
        return match before == form {
            true => HttpResponse::Ok().json(stripe.find(&id).unwrap()),
            false => refused(400, "idempotency_error", ""),
        };
    }
    let expires_at: i64 = form["expires_at"].parse().unwrap();
    if form["mode"] != "payment" || expires_at < now() + OPEN_SECS_MIN {
        return refused(400, "invalid_request_error", "parameter_invalid");
    }
    let id = format!("cs_test_{}", uuid::Uuid::new_v4().simple());
    let host = request.connection_info().host().to_owned();
    let session = json!({
        "id": id, "object": "checkout.session", "status": "open", "payment_status": "unpaid",
        "url": format!("http://{host}/pay/{id}"), "payment_intent": null,
        "client_reference_id": form["client_reference_id"],
        "amount_total":
            form["line_items[0][price_data][unit_amount]"].parse::<i64>().unwrap(),
        "currency": form["line_items[0][price_data][currency]"],
        "success_url": form["success_url"], "expires_at": expires_at,
    });
    stripe.sessions.push(session.clone());
    stripe.keys.insert(key, (form, id));
    HttpResponse::Ok().json(session)
}

async fn get_session(shared: Shared, request: HttpRequest, id: Path<String>) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    let mode = lock(&shared).mode("get");
    if mode == "error" {
        return refused(500, "api_error", "");
    }
    let done = match lock(&shared).find(&id) {
        Some(session) => HttpResponse::Ok().json(session),
        None => refused(404, "invalid_request_error", "resource_missing"),
    };
    answer(&mode, done).await
}

/// Answers about a payment with its charge, whose refunded amount has the refunds that did not fail.
async fn get_intent(
    shared: Shared,
    request: HttpRequest,
    id: Path<String>,
    Query(asked): Query<HashMap<String, String>>,
) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    let mode = lock(&shared).mode("money");
    if mode == "error" {
        return refused(500, "api_error", "");
    }
    let done = match charge_of(&lock(&shared), &id) {
        None => refused(404, "invalid_request_error", "resource_missing"),
        Some(charge) => {
            let is_expanded = asked.get("expand[]").is_some_and(|what| what == "latest_charge");
            let charge = if is_expanded { charge } else { charge["id"].clone() };
            HttpResponse::Ok().json(json!({
                "id": id.as_str(), "object": "payment_intent", "status": "succeeded",
                "latest_charge": charge,
            }))
        }
    };
    answer(&mode, done).await
}

fn charge_of(stripe: &Stripe, payment: &str) -> Option<Value> {
    let session = stripe.sessions.iter().find(|session| session["payment_intent"] == payment)?;
    let refunds = stripe.money.get(payment).map(|(refunds, _)| refunds.as_slice());
    let counts = |refund: &&Value| refund["status"] != "failed" && refund["status"] != "canceled";
    let refunded = refunds.unwrap_or_default().iter().filter(counts);
    let refunded: i64 = refunded.map(|refund| refund["amount"].as_i64().unwrap()).sum();
    Some(json!({
        "id": payment.replace("pi_", "ch_"), "object": "charge", "payment_intent": payment,
        "amount": session["amount_total"], "amount_refunded": refunded,
        "currency": session["currency"], "created": session["paid_at"],
        "status": if session["payment_status"] == "paid" { "succeeded" } else { "pending" },
        "disputed": stripe.money.get(payment).is_some_and(|(_, disputes)| !disputes.is_empty()),
        "metadata": { "charge_id": session["client_reference_id"] },
    }))
}

async fn list_disputes(
    shared: Shared,
    request: HttpRequest,
    Query(asked): Query<HashMap<String, String>>,
) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    let mode = lock(&shared).mode("money");
    let found = lock(&shared).money.get(&asked["payment_intent"]).cloned();
    let mut disputes = found.map(|(_, disputes)| disputes).unwrap_or_default();
    disputes.truncate(asked.get("limit").map_or(10, |limit| limit.parse().unwrap()));
    let list = json!({
        "object": "list", "url": "/v1/disputes", "has_more": false, "data": disputes,
    });
    answer(&mode, HttpResponse::Ok().json(list)).await
}

/// Sets all refunds and disputes of a payment, without a message.
async fn set_money(shared: Shared, Json(asked): Json<Value>) -> HttpResponse {
    let all = |name: &str| asked[name].as_array().unwrap().clone();
    let payment = asked["payment_intent"].as_str().unwrap().to_owned();
    lock(&shared).money.insert(payment, (all("refunds"), all("disputes")));
    HttpResponse::Ok().json(json!({}))
}

async fn list_sessions(shared: Shared) -> HttpResponse {
    HttpResponse::Ok().json(&lock(&shared).sessions)
}

async fn set_mode(shared: Shared, Json(asked): Json<Value>) -> HttpResponse {
    let text = |name: &str| asked[name].as_str().unwrap().to_owned();
    lock(&shared).modes.insert(text("what"), text("how"));
    HttpResponse::Ok().json(json!({}))
}

/// Does what the person or the clock does to a checkout.
async fn change_session(shared: Shared, Json(asked): Json<Value>) -> HttpResponse {
    let mut stripe = lock(&shared);
    let session = stripe.find(asked["id"].as_str().unwrap()).unwrap();
    change(session, asked["to"].as_str().unwrap());
    HttpResponse::Ok().json(session)
}

fn change(session: &mut Value, to: &str) {
    let (status, payment_status) = match to {
        "paid" => ("complete", "paid"),
        "processing" => ("complete", "unpaid"),
        _ => ("expired", "unpaid"),
    };
    session["status"] = json!(status);
    session["payment_status"] = json!(payment_status);
    session["url"] = Value::Null;
    if status == "complete" && session["payment_intent"].is_null() {
        session["payment_intent"] = json!(format!("pi_{}", uuid::Uuid::new_v4().simple()));
        session["paid_at"] = json!(now());
    }
}

async fn sign_event(Json(asked): Json<Value>) -> HttpResponse {
    let mut body = json!({
        "id": format!("evt_{}", uuid::Uuid::new_v4().simple()), "object": "event",
        "type": asked["type"], "data": { "object": asked["object"] },
    });
    if !asked["created"].is_null() {
        body["created"] = asked["created"].clone();
    }
    if !asked["refunded_before"].is_null() {
        body["data"]["previous_attributes"] =
            json!({ "amount_refunded": asked["refunded_before"] });
    }
    let (body, at) = (body.to_string(), now() - asked["age_secs"].as_i64().unwrap());
    let secret = asked["secret"].as_str().unwrap();
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    let mac = mac.chain_update(format!("{at}.{body}")).finalize().into_bytes();
    let hex = mac.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    HttpResponse::Ok().json(json!({ "signature": format!("t={at},v1={hex}"), "body": body }))
}
