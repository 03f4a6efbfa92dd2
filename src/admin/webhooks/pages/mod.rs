//! Pages of endpoints: the list, one with its deliveries, and a new secret.

pub mod documents;
mod form;

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::TimeDelta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use uuid::Uuid;

use self::{
    documents::{
        ReplayDocument, ReplaysDocument, SecretDocument, WebhookDocument, WebhooksDocument,
    },
    form::{EndpointForm, ReplayForm},
};
use super::{delete, edit, find, pause, register, replay, replay_failed, rotate};
use crate::{
    accounts::{AdminAccount, ConfirmedAdmin},
    admin::AdminError,
    app::App,
    events::EventId,
    infra::postgres::page::{PAGE_ROWS, Page},
    text::i18n::Phrase,
    web::{
        error::PageError,
        flash::with_message,
        form::{Body, FormRefusal},
        page::{Identified, View, json as json_answer},
    },
    webhooks::{
        ENDPOINTS_MAX, HookSecret,
        model::{EndpointId, HookState, ListedDelivery, ListedEndpoint},
        store::{deliveries, endpoints},
    },
};

#[derive(Template)]
#[template(path = "admin/webhooks.html")]
struct WebhooksPage {
    v: View,
    endpoints: Vec<ListedEndpoint>,
    form: EndpointForm,
    refusal: FormRefusal,
}

impl WebhooksPage {
    async fn of(app: &App, v: View) -> Result<Self, PageError> {
        let endpoints = endpoints::list(&app.db, None, ENDPOINTS_MAX).await?;
        let (form, refusal) = (EndpointForm::default(), FormRefusal::default());
        Ok(Self { v, endpoints, form, refusal })
    }
}

/// `GET /admin/webhooks`
pub async fn list_webhooks(app: Data<App>, me: AdminAccount) -> Result<HttpResponse, PageError> {
    let page = WebhooksPage::of(&app, me.view).await?;
    let document = WebhooksDocument { webhooks: &page.endpoints };
    Ok(page.v.show(&page, &document))
}

#[derive(Template)]
#[template(path = "admin/webhook_secret.html")]
struct SecretPage {
    v: View,
    id: EndpointId,
    secret: String,
}

/// Answers with a new secret, for the only time.
fn show_secret(v: &View, id: EndpointId, secret: &HookSecret) -> HttpResponse {
    let (status, secret) = (StatusCode::CREATED, secret.shown());
    let mut answer = match v.format.is_for_programs() {
        true => json_answer(status, &SecretDocument { id, secret }),
        false => v.html(status, &SecretPage { v: v.clone(), id, secret }),
    };
    let never = header::HeaderValue::from_static("no-store");
    answer.headers_mut().insert(header::CACHE_CONTROL, never);
    answer
}

/// `POST /admin/webhooks`
pub async fn create_webhook(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    Body(form): Body<EndpointForm>,
) -> Result<HttpResponse, PageError> {
    let made = async {
        let new = form.parse(app.config.webhook_private_targets).await?;
        Ok(register(&app, me.account_id, &new).await?)
    }
    .await;
    let page = async |v, refusal| {
        let page = WebhooksPage { form, refusal, ..WebhooksPage::of(&app, v).await? };
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(made, |v, (id, secret)| show_secret(v, id, &secret), page).await
}

#[derive(Template)]
#[template(path = "admin/webhook.html")]
struct WebhookPage {
    v: View,
    endpoint: ListedEndpoint,
    state: Option<HookState>,
    deliveries: Page<ListedDelivery>,
    form: EndpointForm,
    /// Whether the form was sent and refused.
    form_is_open: bool,
    refusal: FormRefusal,
}

impl WebhookPage {
    /// Returns the filters: the query of each, its name, and whether it is chosen.
    fn filters(&self) -> impl Iterator<Item = (&'static str, Phrase, bool)> {
        let all = ("", self.v.t("admin-webhook-all"), self.state.is_none());
        let states = HookState::VARIANTS
            .iter()
            .map(|state| ((*state).into(), self.state_name(*state), self.state == Some(*state)));
        std::iter::once(all).chain(states)
    }

    fn query(&self) -> &'static str {
        self.state.map_or("", Into::into)
    }

    fn state_name(&self, state: HookState) -> Phrase {
        self.v.t(match state {
            HookState::Waiting => "admin-webhook-state-waiting",
            HookState::Delivered => "admin-webhook-state-delivered",
            HookState::Failed => "admin-webhook-state-failed",
        })
    }

    fn state(&self, delivery: &ListedDelivery) -> Phrase {
        self.state_name(delivery.state)
    }

    fn is_failed(&self, delivery: &ListedDelivery) -> bool {
        delivery.state == HookState::Failed
    }

    fn is_waiting(&self, delivery: &ListedDelivery) -> bool {
        delivery.state == HookState::Waiting
    }
}

/// Query string of an endpoint's page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeliveriesQuery {
    /// State of deliveries; empty: all.
    state: String,
    /// Key of the last row of the page before.
    after: Option<Uuid>,
}

/// `GET /admin/webhooks/{id}`
pub async fn show_webhook(
    app: Data<App>,
    me: AdminAccount,
    id: Path<EndpointId>,
    query: Query<DeliveriesQuery>,
) -> Result<HttpResponse, PageError> {
    let page = page_of(&app, me.view, *id, &query).await?;
    let (rows, next) = (&page.deliveries.rows, page.deliveries.next);
    let document = WebhookDocument { webhook: &page.endpoint, deliveries: rows, next };
    Ok(page.v.show(&page, &document))
}

async fn page_of(
    app: &App,
    v: View,
    id: EndpointId,
    query: &DeliveriesQuery,
) -> Result<WebhookPage, PageError> {
    let endpoint = find(app, id).await?;
    let state = query.state.parse().ok();
    let rows = deliveries::list(&app.db, id, state, query.after, PAGE_ROWS + 1).await?;
    let deliveries = Page::cut(rows, |delivery| delivery.event_id.0);
    let form = EndpointForm::of(&endpoint);
    let refusal = FormRefusal::default();
    Ok(WebhookPage { v, endpoint, state, deliveries, form, form_is_open: false, refusal })
}

fn path_of(id: EndpointId) -> String {
    format!("/admin/webhooks/{id}")
}

/// Answers a change: leads to `next`, or shows the endpoint with the refusal.
async fn answer<T: Serialize>(
    app: &App,
    v: View,
    id: EndpointId,
    outcome: Result<T, PageError>,
    (next, flash): (&str, &'static str),
) -> Result<HttpResponse, PageError> {
    match v.or_refusal(outcome)? {
        Ok(document) => Ok(with_message(v.done(StatusCode::OK, &document, next), flash)),
        Err(refusal) if matches!(refusal.find(), Some(AdminError::NotFound)) => Err(refusal.into()),
        Err(refusal) => {
            let mut page = page_of(app, v, id, &DeliveriesQuery::default()).await?;
            page.refusal = refusal.in_words(&page.v);
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}

/// `POST /admin/webhooks/{id}`
pub async fn update_webhook(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<EndpointId>,
    Body(form): Body<EndpointForm>,
) -> Result<HttpResponse, PageError> {
    find(&app, *id).await?;
    let changed = async {
        let new = form.parse(app.config.webhook_private_targets).await?;
        edit(&app, me.account_id, *id, &new).await?;
        Ok(Identified { id: *id })
    }
    .await;
    let done = |v: &View, document| {
        with_message(v.done(StatusCode::OK, &document, &path_of(*id)), "flash-admin-saved")
    };
    let page = async |v, refusal| {
        let shown = page_of(&app, v, *id, &DeliveriesQuery::default()).await?;
        let page = WebhookPage { form, form_is_open: true, refusal, ..shown };
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(changed, done, page).await
}

/// `POST /admin/webhooks/{id}/secret`
pub async fn create_secret(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<EndpointId>,
) -> Result<HttpResponse, PageError> {
    let secret = rotate(&app, me.account_id, *id).await?;
    Ok(show_secret(&me.view, *id, &secret))
}

/// `POST /admin/webhooks/{id}/pause`
pub async fn create_pause(
    app: Data<App>,
    me: AdminAccount,
    id: Path<EndpointId>,
) -> Result<HttpResponse, PageError> {
    let outcome = pause(&app, me.account_id, *id, true).await;
    let outcome = outcome.map(|()| Identified { id: *id }).map_err(PageError::from);
    answer(&app, me.view, *id, outcome, (&path_of(*id), "flash-admin-saved")).await
}

/// `POST /admin/webhooks/{id}/resumption`
pub async fn create_resumption(
    app: Data<App>,
    me: AdminAccount,
    id: Path<EndpointId>,
) -> Result<HttpResponse, PageError> {
    let outcome = pause(&app, me.account_id, *id, false).await;
    let outcome = outcome.map(|()| Identified { id: *id }).map_err(PageError::from);
    answer(&app, me.view, *id, outcome, (&path_of(*id), "flash-admin-saved")).await
}

/// `POST /admin/webhooks/{id}/deletion`
pub async fn create_deletion(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<EndpointId>,
) -> Result<HttpResponse, PageError> {
    let outcome = delete(&app, me.account_id, *id).await;
    let outcome = outcome.map(|()| Identified { id: *id }).map_err(PageError::from);
    answer(&app, me.view, *id, outcome, ("/admin/webhooks", "flash-admin-saved")).await
}

/// `POST /admin/webhooks/{id}/deliveries/{event_id}/replay`
pub async fn create_replay(
    app: Data<App>,
    me: AdminAccount,
    ids: Path<(EndpointId, EventId)>,
) -> Result<HttpResponse, PageError> {
    let (id, event_id) = *ids;
    let outcome = replay(&app, me.account_id, id, event_id).await;
    let outcome = outcome.map(|()| ReplayDocument { event_id }).map_err(PageError::from);
    answer(&app, me.view, id, outcome, (&path_of(id), "flash-admin-webhook-replayed")).await
}

/// `POST /admin/webhooks/{id}/replays`
pub async fn create_replays(
    app: Data<App>,
    me: AdminAccount,
    id: Path<EndpointId>,
    Body(form): Body<ReplayForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let since = app.now() - TimeDelta::hours(form.parse()?);
        let replayed = replay_failed(&app, me.account_id, *id, since).await?;
        Ok(ReplaysDocument { replayed })
    }
    .await;
    answer(&app, me.view, *id, outcome, (&path_of(*id), "flash-admin-webhook-replayed")).await
}
