//! The page of a checkout, on which a person pays in a browser.

use actix_web::{
    HttpResponse,
    http::header::{ContentType, LOCATION},
    web::Path,
};

use super::{Shared, change, lock};

const PAGE: &str = "<!DOCTYPE html><html lang=en><title>Checkout</title><main><h1>Checkout</h1>
    <form method=post><button>Pay</button></form></main></html>";

pub(super) async fn show() -> HttpResponse {
    HttpResponse::Ok().insert_header(ContentType::html()).body(PAGE)
}

/// Pays the checkout, and leads back to the office.
pub(super) async fn pay(shared: Shared, id: Path<String>) -> HttpResponse {
    let mut stripe = lock(&shared);
    let session = stripe.find(&id).unwrap();
    change(session, "paid");
    let back = session["success_url"].as_str().unwrap().to_owned();
    HttpResponse::SeeOther().insert_header((LOCATION, back)).finish()
}
