//! Page on which a person deletes the own account.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    error::DeletionError,
    model::{Obstacle, Outlook},
};
use crate::{
    account_deletion,
    accounts::{CurrentAccount, SessionCache, device_removal_cookie, forget, removal_cookie},
    app::App,
    points::Points,
    text::i18n::Phrase,
    web::{
        cookies::pass_cookies,
        error::PageError,
        flash::with_message,
        form::{Body, Field, FormRefusal},
        page::View,
    },
};

#[derive(Template)]
#[template(path = "account_deletion/show.html")]
struct DeletionPage {
    v: View,
    outlook: Outlook,
    refusal: FormRefusal,
}

impl DeletionPage {
    async fn of(app: &App, me: &CurrentAccount) -> Result<Self, PageError> {
        let outlook = account_deletion::outlook(app, me.account_id, me.role).await?;
        Ok(Self { v: me.view.clone(), outlook, refusal: FormRefusal::default() })
    }

    /// Returns the description of an obstacle.
    fn what(&self, obstacle: &Obstacle) -> Phrase {
        let v = &self.v;
        match obstacle {
            Obstacle::Hold { title, .. } => v.t("account-delete-hold").word("title", title),
            Obstacle::Tickets { title, starts_at, time_zone, .. } => v
                .t("account-delete-tickets")
                .word("title", title)
                .word("when", v.moment(starts_at, time_zone)),
            Obstacle::TransferSent { name, points, .. } => {
                v.t("account-delete-sent").word("name", name).word("points", v.points(points))
            }
            Obstacle::TransferReceived { name, points, .. } => {
                v.t("account-delete-received").word("name", name).word("points", v.points(points))
            }
            Obstacle::TicketReceived { title, starts_at, time_zone, .. } => v
                .t("account-delete-ticket-received")
                .word("title", title)
                .word("when", v.moment(starts_at, time_zone)),
            Obstacle::TicketShared { title, starts_at, time_zone, .. } => {
                let when = v.moment(starts_at, time_zone);
                v.t("account-delete-ticket-shared").word("title", title).word("when", when)
            }
            Obstacle::SharePaid { title, points, .. } => {
                let points = v.points(points);
                v.t("account-delete-share-paid").word("title", title).word("points", points)
            }
            Obstacle::HandOverSent { title, .. } => {
                v.t("account-delete-hand-over-sent").word("title", title)
            }
            Obstacle::HandOverReceived { title, .. } => {
                v.t("account-delete-hand-over-received").word("title", title)
            }
            Obstacle::Return { title, .. } => v.t("account-delete-return").word("title", title),
            Obstacle::Wish { title, .. } => v.t("account-delete-wish").word("title", title),
            Obstacle::Purchase { points, .. } => {
                v.t("account-delete-purchase").word("points", v.points(points))
            }
            Obstacle::Admin => v.t("account-delete-admin"),
        }
    }

    /// Returns the text of the link to the page that ends an obstacle.
    fn way(&self, obstacle: &Obstacle) -> Phrase {
        self.v.t(match obstacle {
            Obstacle::Hold { .. } => "account-delete-hold-action",
            Obstacle::Tickets { .. } => "account-delete-tickets-action",
            Obstacle::TransferSent { .. } => "account-delete-sent-action",
            Obstacle::TransferReceived { .. } => "account-delete-received-action",
            Obstacle::TicketReceived { .. } => "account-delete-ticket-received-action",
            Obstacle::TicketShared { .. } => "account-delete-ticket-shared-action",
            Obstacle::SharePaid { .. } => "account-delete-share-paid-action",
            Obstacle::HandOverSent { .. } => "account-delete-hand-over-sent-action",
            Obstacle::HandOverReceived { .. } => "account-delete-hand-over-received-action",
            Obstacle::Return { .. } => "account-delete-return-action",
            Obstacle::Wish { .. } => "account-delete-wish-action",
            Obstacle::Purchase { .. } => "account-delete-purchase-action",
            Obstacle::Admin => "account-delete-admin-action",
        })
    }

    /// Returns the titles of the lines, one after the other.
    fn lines(&self) -> String {
        self.outlook.lines.join(" · ")
    }
}

/// `GET /account/deletion`
pub async fn new_deletion(app: Data<App>, me: CurrentAccount) -> Result<HttpResponse, PageError> {
    me.require_confirmation()?;
    let page = DeletionPage::of(&app, &me).await?;
    Ok(page.v.show(&page, &page.outlook))
}

/// Form with the number of points to give up; empty for none.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeletionForm {
    /// Points that are given up, as shown.
    points: Field,
}

impl DeletionForm {
    /// Returns the points given up; `None` for anything that is no number of points. People type the
    /// number as they read it, with separators.
    fn points(&self) -> Option<Points> {
        let is_separator = |c: char| c.is_whitespace() || [',', '.', '\''].contains(&c);
        let digits: String = self.points.text().chars().filter(|c| !is_separator(*c)).collect();
        match digits.is_empty() {
            true => Some(Points::ZERO),
            false => digits.parse().ok().and_then(Points::new),
        }
    }
}

/// Answer to a deletion of the own account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeletedAccount {
    /// Always true.
    deleted: bool,
}

/// `POST /account/deletion`
pub async fn create_deletion(
    app: Data<App>,
    cache: Data<SessionCache>,
    request: HttpRequest,
    me: CurrentAccount,
    Body(form): Body<DeletionForm>,
) -> Result<HttpResponse, PageError> {
    me.require_confirmation()?;
    let outcome = if let Some(points) = form.points() {
        account_deletion::delete(&app, me.account_id, me.session_id, points).await
    } else {
        let outlook = account_deletion::outlook(&app, me.account_id, me.role).await?;
        Err(DeletionError::BalanceKept { balance: outlook.balance })
    };
    match me.view.or_refusal(outcome.map_err(PageError::from))? {
        Ok(deleted) => {
            forget(&cache, deleted.ended).await;
            let mut answer = me.view.done(StatusCode::OK, &DeletedAccount { deleted: true }, "/");
            let _ = answer.add_cookie(&removal_cookie(&app));
            let _ = answer.add_cookie(&device_removal_cookie(&app));
            pass_cookies::remove_all(&request, app.config.is_https(), &mut answer);
            let told = match app.config.smtp_url.is_some() {
                true => "flash-account-deleted",
                false => "flash-account-deleted-unmailed",
            };
            Ok(with_message(answer, told))
        }
        Err(refusal) => match refusal.find() {
            Some(DeletionError::Kept(_) | DeletionError::BalanceKept { .. }) => {
                let page = DeletionPage { refusal, ..DeletionPage::of(&app, &me).await? };
                Ok(page.v.html(page.refusal.status(), &page))
            }
            _ => Err(refusal.into()),
        },
    }
}
