//! Page with the form that makes a share.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{form::ShareForm, holder::Shared, places::PlaceDocument};
use crate::{
    accounts::CurrentAccount,
    app::App,
    infra::ids::new_id,
    payment::shares::{code::ShareCode, make, model::ShareId},
    points::Points,
    reservation::ReservationId,
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, FormRefusal},
        page::View,
    },
};

#[derive(Template)]
#[template(path = "payment/new_share.html")]
struct NewSharePage<'a> {
    v: &'a View,
    shared: &'a Shared,
    /// Places that are in no live share.
    left: Vec<PlaceDocument>,
    request_key: Uuid,
    refusal: Option<String>,
}

async fn new_share_page(
    app: &App,
    me: &CurrentAccount,
    id: ReservationId,
    refusal: FormRefusal,
) -> Result<HttpResponse, PageError> {
    let shared = Shared::read(app, me, id).await?;
    let left = shared.left();
    let left = left.iter().map(|place| PlaceDocument::of(&me.view, place)).collect();
    let (status, refusal) = (refusal.status(), refusal.text);
    let request_key = new_id();
    let page = NewSharePage { v: &me.view, shared: &shared, left, request_key, refusal };
    Ok(me.view.html(status, &page))
}

/// Handles `GET /reservations/{id}/shares/new`.
pub async fn new_share(
    app: Data<App>,
    id: Path<ReservationId>,
    me: CurrentAccount,
) -> Result<HttpResponse, PageError> {
    new_share_page(&app, &me, *id, FormRefusal::default()).await
}

/// Share that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewShareDocument {
    share_id: ShareId,
    amount: Points,
    /// Link for a friend.
    url: String,
}

/// Handles `POST /reservations/{id}/shares`.
pub async fn create_share(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<ReservationId>,
    Body(form): Body<ShareForm>,
) -> Result<HttpResponse, PageError> {
    let made = async {
        let (order, key) = form.parse(me.account_id, *id, me.view.locale)?;
        Ok(make::make(&app, &order, key.as_ref()).await?)
    }
    .await;
    match me.view.or_refusal(made)? {
        Ok(made) => {
            let path = ShareCode::of(&app.signing_key, made.share_id).path();
            let document = NewShareDocument {
                share_id: made.share_id,
                amount: made.amount,
                url: format!("{}{path}", app.config.site_url()),
            };
            let location = format!("/reservations/{id}/shares");
            let answer = me.view.done(StatusCode::CREATED, &document, &location);
            Ok(with_message(answer, "flash-share-made"))
        }
        Err(refusal) => {
            let refusal = refusal.with_reasons(&me.view);
            new_share_page(&app, &me, *id, refusal).await
        }
    }
}
