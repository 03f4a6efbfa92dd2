//! Refunds of the stand-in, after the published description of `/v1/refunds`: parameters, limits and errors.

use super::{
    Form, HashMap, HttpRequest, HttpResponse, Json, Path, Query, Shared, Stripe, Value, answer,
    charge_of, json, lists, lock, now, refuse_stranger, refused,
};

/// Parameters that the interface knows; a request with another one is refused.
const PARAMETERS: [&str; 4] = ["payment_intent", "amount", "reason", "metadata[payout_id]"];
const REASONS: [&str; 3] = ["duplicate", "fraudulent", "requested_by_customer"];
/// Currencies that are refunded in whole units only, which are hundreds of the minor unit.
const HUNDREDS: [&str; 2] = ["isk", "ugx"];
/// Currencies that are refunded in tens of the minor unit only.
const TENS: [&str; 5] = ["bhd", "jod", "kwd", "omr", "tnd"];

/// `POST /v1/refunds`. The mode `refund` is `ok`, `pending`, `error`, `silent`, `late` (done, and answered after
/// the caller has gone), `lost` (one in ten is done and answered by an error), `balance` (refused for want of
/// money).
pub(super) async fn create(
    shared: Shared,
    request: HttpRequest,
    Form(form): Form<HashMap<String, String>>,
) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    let key = request.headers().get("idempotency-key").unwrap().to_str().unwrap().to_owned();
    let (mode, n_before) = {
        let mut stripe = lock(&shared);
        stripe.n_refund_requests += 1;
        (stripe.mode("refund"), stripe.n_refund_requests - 1)
    };
    match mode.as_str() {
        "error" => return refused(500, "api_error", ""),
        "balance" => return refused(400, "invalid_request_error", "balance_insufficient"),
        "silent" => return answer("silent", HttpResponse::Ok().finish()).await,
        _ => {}
    }
    let done = created(&mut lock(&shared), key, form, &mode);
    if mode == "lost" && n_before % 10 == 3 {
        return refused(502, "api_error", "");
    }
    answer(&mode, done).await
}

fn created(
    stripe: &mut Stripe,
    key: String,
    form: HashMap<String, String>,
    mode: &str,
) -> HttpResponse {
    if let Some((before, id)) = stripe.keys.get(&key).cloned() {
        return match before == form {
            true => HttpResponse::Ok().json(find(stripe, &id).unwrap()),
            false => refused(400, "idempotency_error", ""),
        };
    }
    let is_known = form.keys().all(|name| PARAMETERS.contains(&name.as_str()))
        && form.get("reason").is_none_or(|reason| REASONS.contains(&reason.as_str()));
    let payment = form.get("payment_intent").cloned().unwrap_or_default();
    let (Some(charge), true) = (charge_of(stripe, &payment), is_known) else {
        return refused(400, "invalid_request_error", "resource_missing");
    };
    let amount: i64 = form["amount"].parse().unwrap();
    let currency = charge["currency"].as_str().unwrap().to_owned();
    let step = match currency.as_str() {
        code if HUNDREDS.contains(&code) => 100,
        code if TENS.contains(&code) => 10,
        _ => 1,
    };
    if amount <= 0 || amount % step != 0 {
        return refused(400, "invalid_request_error", "parameter_invalid_integer");
    }
    let disputes = stripe.money.get(&payment).map(|(_, disputes)| disputes.clone());
    if disputes.unwrap_or_default().iter().any(|dispute| dispute["status"] != "won") {
        return refused(400, "invalid_request_error", "charge_disputed");
    }
    let left = charge["amount"].as_i64().unwrap() - charge["amount_refunded"].as_i64().unwrap();
    if amount > left {
        return refused(400, "invalid_request_error", "charge_already_refunded");
    }
    let id = format!("re_{}", uuid::Uuid::new_v4().simple());
    let status = if mode == "pending" { "pending" } else { "succeeded" };
    let refund = json!({
        "id": id, "object": "refund", "amount": amount, "currency": currency,
        "payment_intent": payment, "charge": charge["id"], "status": status, "created": now(),
        "reason": form.get("reason"), "metadata": { "payout_id": form["metadata[payout_id]"] },
    });
    stripe.money.entry(payment).or_default().0.push(refund.clone());
    stripe.keys.insert(key, (form, id));
    HttpResponse::Ok().json(refund)
}

fn all(stripe: &Stripe) -> impl Iterator<Item = &Value> {
    stripe.money.values().flat_map(|(refunds, _)| refunds)
}

fn find(stripe: &Stripe, id: &str) -> Option<Value> {
    all(stripe).find(|refund| refund["id"] == id).cloned()
}

/// `GET /v1/refunds/{id}`
pub(super) async fn get(shared: Shared, request: HttpRequest, id: Path<String>) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    match find(&lock(&shared), &id) {
        Some(refund) => HttpResponse::Ok().json(refund),
        None => refused(404, "invalid_request_error", "resource_missing"),
    }
}

/// `GET /v1/refunds?payment_intent=…`
pub(super) async fn list(
    shared: Shared,
    request: HttpRequest,
    Query(asked): Query<HashMap<String, String>>,
) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    let Some(payment) = asked.get("payment_intent") else {
        let refunds = all(&lock(&shared)).cloned().collect();
        return lists::answered(&shared, refunds, &asked).await;
    };
    let refunds = lock(&shared).money.get(payment).cloned().unwrap_or_default().0;
    HttpResponse::Ok().json(json!({
        "object": "list", "url": "/v1/refunds", "has_more": false, "data": refunds,
    }))
}

/// Lists the refunds of all payments.
pub(super) async fn list_all(shared: Shared) -> HttpResponse {
    let stripe = lock(&shared);
    HttpResponse::Ok().json(all(&stripe).collect::<Vec<_>>())
}

/// Gives a refund another state.
pub(super) async fn change(shared: Shared, Json(asked): Json<Value>) -> HttpResponse {
    let mut stripe = lock(&shared);
    let mut refunds = stripe.money.values_mut().flat_map(|(refunds, _)| refunds);
    let refund = refunds.find(|refund| refund["id"] == asked["id"]).unwrap();
    refund["status"] = asked["status"].clone();
    refund["failure_reason"] = asked["failure_reason"].clone();
    HttpResponse::Ok().json(&*refund)
}

/// Forgets all keys, as Stripe does after a day.
pub(super) async fn forget_keys(shared: Shared) -> HttpResponse {
    lock(&shared).keys.clear();
    HttpResponse::Ok().json(json!({}))
}
