//! Lists of the stand-in: `/v1/charges` and `/v1/refunds` of a span of time, the newest first, in pages.

use super::{
    HashMap, HttpRequest, HttpResponse, Json, Query, Shared, Value, answer, charge_of, json, lock,
    refuse_stranger, refused,
};

/// `GET /v1/charges`
pub(super) async fn charges(
    shared: Shared,
    request: HttpRequest,
    Query(asked): Query<HashMap<String, String>>,
) -> HttpResponse {
    if let Some(refused) = refuse_stranger(&request) {
        return refused;
    }
    let all = {
        let stripe = lock(&shared);
        let paid = stripe.sessions.iter().filter_map(|session| session["payment_intent"].as_str());
        let own = paid.filter_map(|payment| charge_of(&stripe, payment));
        own.chain(stripe.others.iter().cloned()).collect()
    };
    answered(&shared, all, &asked).await
}

/// Adds a charge that no checkout of this office made.
pub(super) async fn add(shared: Shared, Json(charge): Json<Value>) -> HttpResponse {
    lock(&shared).others.push(charge);
    HttpResponse::Ok().json(json!({}))
}

/// Answers with the page of a list that is asked for.
pub(super) async fn answered(
    shared: &Shared,
    mut all: Vec<Value>,
    asked: &HashMap<String, String>,
) -> HttpResponse {
    let mode = lock(shared).mode("list");
    if mode == "error" {
        return refused(500, "api_error", "");
    }
    let bound = |name: &str| asked.get(name).map(|secs| secs.parse::<i64>().unwrap());
    let (from, until) = (bound("created[gte]").unwrap(), bound("created[lt]").unwrap());
    all.retain(|row| (from..until).contains(&row["created"].as_i64().unwrap_or_default()));
    all.sort_by_key(|row| std::cmp::Reverse(row["created"].as_i64()));
    let begin = asked
        .get("starting_after")
        .map_or(0, |after| all.iter().position(|row| row["id"] == after.as_str()).unwrap() + 1);
    let limit: usize = asked.get("limit").map_or(10, |limit| limit.parse().unwrap());
    let page: Vec<Value> = all.iter().skip(begin).take(limit).cloned().collect();
    let has_more = begin + page.len() < all.len();
    answer(
        &mode,
        HttpResponse::Ok().json(json!({ "object": "list", "has_more": has_more, "data": page })),
    )
    .await
}
