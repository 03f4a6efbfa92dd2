//! Pages of hand-overs: the form on a ticket's page, and the page of one hand-over.

pub mod form;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use self::form::{HandOverBox, HandOverForm};
use super::{
    error::HandOverError,
    model::{HandOver, HandOverAnswer, HandOverId, HandOverStatus, TicketHolder},
    store::views,
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    text::i18n::Phrase,
    tickets::{
        hand_over,
        model::{Ticket, TicketCode},
        pages::{TicketPage, own_ticket},
        store,
    },
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, FormRefusal},
        page::View,
    },
};

/// Handles `POST /tickets/{code}/hand-overs`.
pub async fn create_hand_over(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
    Body(form): Body<HandOverForm>,
) -> Result<HttpResponse, PageError> {
    let code: TicketCode = path.parse().ok().ok_or(NotFound)?;
    let offered = async {
        let (order, key) = form.parse(me.account_id, code.clone(), me.view.locale)?;
        Ok(hand_over::offer(&app, &order, key.as_ref()).await?)
    }
    .await;
    match me.view.or_refusal(offered)? {
        Ok(offered) => {
            let answer = me.view.done(StatusCode::CREATED, &offered, &format!("/tickets/{code}"));
            Ok(with_message(answer, "flash-ticket-offered"))
        }
        Err(refusal) => {
            // Without its ticket there is no page to show the form on.
            let Ok(ticket) = own_ticket(&app, &me, &path).await else { return Err(refusal.into()) };
            let status = refusal.status();
            let refused = HandOverBox {
                to: form.to.text().to_owned(),
                refusal: refusal.with_reason_of("to", &me.view).text,
                ..HandOverBox::new()
            };
            let page = TicketPage::read(&app, me.view, ticket, refused).await?;
            Ok(page.v.html(status, &page))
        }
    }
}

/// JSON form of a hand-over, with the facts of its ticket that both sides may see.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandOverDocument<'a> {
    hand_over_id: HandOverId,
    from: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'a str>,
    status: HandOverStatus,
    expires_at: DateTime<Utc>,
    settled_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    title: &'a str,
    starts_at: DateTime<Utc>,
    venue: &'a str,
    section: Option<&'a str>,
    row: Option<&'a str>,
    number: Option<i32>,
    zone: Option<&'a str>,
    holders: &'a [TicketHolder],
}

#[derive(Template)]
#[template(path = "tickets/hand_over.html")]
struct HandOverPage {
    v: View,
    hand_over: HandOver,
    ticket: Ticket,
    /// Holders of the ticket, up to this hand-over.
    holders: Vec<TicketHolder>,
    /// Whether the account is the sender.
    is_sender: bool,
    /// Whether the account holds the ticket now.
    is_holder: bool,
    refusal: FormRefusal,
}

impl HandOverPage {
    async fn read(
        app: &App,
        me: CurrentAccount,
        id: HandOverId,
        refusal: FormRefusal,
    ) -> Result<Self, PageError> {
        let found = views::find_hand_over(&app.db, me.account_id, id).await?;
        let hand_over = found.ok_or(HandOverError::NotFound)?;
        let ticket = store::find_ticket(&app.db, hand_over.ticket_id).await?.ok_or(NotFound)?;
        let holders = match hand_over.status {
            HandOverStatus::Accepted => {
                views::list_holders(&app.db, hand_over.ticket_id, Some(id)).await?
            }
            _ => Vec::new(),
        };
        Ok(Self {
            v: me.view,
            holders,
            is_sender: hand_over.sender_id == me.account_id,
            is_holder: ticket.account_id == me.account_id,
            hand_over,
            ticket,
            refusal,
        })
    }

    fn document(&self) -> HandOverDocument<'_> {
        let (hand_over, ticket) = (&self.hand_over, &self.ticket);
        HandOverDocument {
            hand_over_id: hand_over.id,
            from: &hand_over.from,
            to: hand_over.to.as_deref(),
            address: hand_over.address.as_deref(),
            status: hand_over.status,
            expires_at: hand_over.expires_at,
            settled_at: hand_over.settled_at,
            created_at: hand_over.created_at,
            title: &ticket.title,
            starts_at: ticket.starts_at,
            venue: &ticket.venue,
            section: ticket.section.as_deref(),
            row: ticket.row_label.as_deref(),
            number: ticket.number,
            zone: ticket.zone.as_deref(),
            holders: &self.holders,
        }
    }

    /// Returns the name of the seat, with its kind, or of the zone.
    fn place(&self) -> String {
        self.ticket.place(self.v.locale)
    }

    /// Returns the page that helps after a refusal, where there is one.
    fn refusal_href(&self) -> Option<String> {
        match self.refusal.find()? {
            HandOverError::AddressUnconfirmed(_) => self.refusal.problem()?.recovery_href,
            _ => None,
        }
    }

    fn is_pending(&self) -> bool {
        self.hand_over.status == HandOverStatus::Pending
    }

    fn is_accepted(&self) -> bool {
        self.hand_over.status == HandOverStatus::Accepted
    }

    /// Returns the heading for the reader: how the hand-over ended, or whose answer it waits for.
    fn heading(&self) -> Phrase {
        let (v, hand_over) = (&self.v, &self.hand_over);
        let to = hand_over.to.as_deref().or(hand_over.address.as_deref()).unwrap_or_default();
        match (hand_over.status, self.is_sender) {
            (HandOverStatus::Pending, true) => v.t("hand-over-sent-pending").word("to", to),
            (HandOverStatus::Pending, false) => {
                v.t("hand-over-question").word("name", &hand_over.from)
            }
            (HandOverStatus::Accepted, true) => v.t("hand-over-sent-accepted").word("to", to),
            (HandOverStatus::Accepted, false) => {
                v.t("hand-over-received-accepted").word("name", &hand_over.from)
            }
            (HandOverStatus::Voided, _) => v.t("hand-over-voided"),
            (HandOverStatus::Admitted, false) => v.t("hand-over-admitted"),
            (_, true) => v.t("hand-over-still-yours"),
            (_, false) => v.t("hand-over-not-yours").word("name", &hand_over.from),
        }
    }
}

/// Handles `GET /hand-overs/{id}`.
pub async fn show_hand_over(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<HandOverId>,
) -> Result<HttpResponse, PageError> {
    let page = HandOverPage::read(&app, me, *id, FormRefusal::default()).await?;
    Ok(page.v.show(&page, &page.document()))
}

/// Handles `POST /hand-overs/{id}/acceptance`.
pub async fn create_acceptance(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<HandOverId>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, *id, HandOverAnswer::Accept).await
}

/// Handles `POST /hand-overs/{id}/declining`.
pub async fn create_declining(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<HandOverId>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, *id, HandOverAnswer::Decline).await
}

/// Handles `POST /hand-overs/{id}/cancellation`.
pub async fn create_cancellation(
    app: Data<App>,
    me: CurrentAccount,
    id: Path<HandOverId>,
) -> Result<HttpResponse, PageError> {
    answer(&app, me, *id, HandOverAnswer::Cancel).await
}

/// Answers a hand-over; a refusal is shown with its current state.
async fn answer(
    app: &App,
    me: CurrentAccount,
    id: HandOverId,
    answer: HandOverAnswer,
) -> Result<HttpResponse, PageError> {
    let answered = hand_over::answer(&app.db, me.account_id, id, answer).await;
    match me.view.or_refusal(answered.map_err(PageError::from))? {
        Ok(answered) => {
            let location = format!("/hand-overs/{id}");
            Ok(me.view.done(StatusCode::OK, &answered, &location))
        }
        Err(refusal) => {
            let page = HandOverPage::read(app, me, id, refusal).await?;
            Ok(page.v.html(page.refusal.status(), &page))
        }
    }
}
