//! Page of what is lost after a backup was put back.

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::AfterBackup;
use crate::{
    accounts::{AdminAccount, ConfirmedAdmin},
    admin::{
        pages::{ReasonForm, saved},
        setbacks,
    },
    app::App,
    setbacks::{
        model::{LineBehind, Setback, SetbackId, UnknownCheckout},
        store,
    },
    wallet::charges::payouts::model::shown,
    web::{
        error::PageError,
        form::{Body, FormRefusal},
        page::View,
    },
};

/// Path of the page.
const PATH: &str = "/admin/setbacks";
/// Setbacks and unknown checkouts that the page lists, the newest ones.
const LISTED_MAX: i64 = 100;

#[derive(Template)]
#[template(path = "admin/setbacks.html")]
struct SetbacksPage {
    v: View,
    after: AfterBackup,
    checkouts: Vec<UnknownCheckout>,
    refusal: FormRefusal,
}

impl SetbacksPage {
    async fn of(app: &App, v: View, refusal: FormRefusal) -> Result<Self, PageError> {
        let after = setbacks::read(app, LISTED_MAX).await?;
        let checkouts = store::list_unknown_checkouts(&app.db, LISTED_MAX).await?;
        Ok(Self { v, after, checkouts, refusal })
    }

    /// Returns the amount of a checkout as people read it; empty where the provider did not say it.
    fn amount(&self, checkout: &UnknownCheckout) -> String {
        let _ = &self.v;
        let told = checkout.amount_minor.zip(checkout.currency.as_deref());
        told.map(|(minor, currency)| shown(minor, currency)).unwrap_or_default()
    }
}

/// What is known after a backup was put back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetbacksDocument<'a> {
    /// Open setback; null where the office sells.
    open: Option<&'a Setback>,
    /// Lines that were known to be further than the database has them.
    lines: &'a [LineBehind],
    /// Setbacks that were ended, the newest first.
    ended: &'a [Setback],
    /// Paid checkouts of which no purchase is known, the newest first.
    unknown_checkouts: &'a [UnknownCheckout],
}

/// `GET /admin/setbacks`
pub async fn show_setbacks(app: Data<App>, me: AdminAccount) -> Result<HttpResponse, PageError> {
    let page = SetbacksPage::of(&app, me.view, FormRefusal::default()).await?;
    let document = SetbacksDocument {
        open: page.after.open.as_ref(),
        lines: &page.after.lines,
        ended: &page.after.ended,
        unknown_checkouts: &page.checkouts,
    };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/setbacks/{id}/end`
pub async fn end_setback(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<SetbackId>,
    Body(form): Body<ReasonForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let reason = form.parse()?;
        Ok(setbacks::end(&app, me.account_id, *id, &reason).await?)
    }
    .await;
    let page = async |v, refusal: FormRefusal| {
        let page = SetbacksPage::of(&app, v, refusal).await?;
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(outcome, |v, ended| saved(v, &ended, PATH), page).await
}
