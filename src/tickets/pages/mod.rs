//! Pages of an account's tickets and of one ticket.

pub mod bought;
pub mod downloads;
pub mod mailing;

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{
    hand_over::{
        model::TicketHolder,
        pages::form::HandOverBox,
        store::views::{self, PendingOffer, ReceivedOffer},
    },
    model::{Ticket, TicketCode, TicketStatus},
    returns::{model::ShownReturn, pages::form::ReturnBox},
    store,
};
use crate::{
    accounts::CurrentAccount,
    app::App,
    catalog::{SeatKind, ToldNote},
    infra::postgres::page::{After, Page},
    points::Points,
    reservation::ReservationId,
    web::{
        error::{NotFound, PageError},
        page::{View, see_other},
    },
};

/// Path of the list of an account's tickets.
pub(crate) const TICKETS_PATH: &str = "/tickets";

/// JSON form of a ticket.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TicketDocument<'a> {
    code: &'a TicketCode,
    status: TicketStatus,
    /// Whether a hand-over of the ticket is pending.
    is_offered: bool,
    /// Whether the ticket is on sale again, and not sold yet.
    is_on_return: bool,
    /// Its newest return; left out of lists.
    #[serde(rename = "return", skip_serializing_if = "Option::is_none")]
    returned: Option<&'a ShownReturn>,
    /// Former and present holders, oldest first; left out of lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    holders: Option<&'a [TicketHolder]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hand_over: Option<&'a PendingOffer>,
    used_at: Option<DateTime<Utc>>,
    reservation_id: ReservationId,
    title: &'a str,
    starts_at: DateTime<Utc>,
    /// Start that was agreed at the reservation, where the performance begins at another time now.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_starts_at: Option<DateTime<Utc>>,
    /// What else was agreed and is called otherwise now.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'a [ToldNote]>,
    venue: &'a str,
    section: Option<&'a str>,
    row: Option<&'a str>,
    number: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<SeatKind>,
    zone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'a str>,
    price: Points,
    #[serde(skip_serializing_if = "Option::is_none")]
    price_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price_type_note: Option<&'a str>,
}

impl Ticket {
    fn document(&self) -> TicketDocument<'_> {
        TicketDocument {
            code: &self.code,
            status: self.status,
            is_offered: self.is_offered,
            is_on_return: self.is_on_return,
            returned: None,
            holders: None,
            hand_over: None,
            used_at: self.used_at,
            reservation_id: self.reservation_id,
            title: &self.title,
            starts_at: self.starts_at,
            previous_starts_at: self.moved_from,
            changes: Some(self.changes.as_slice()).filter(|notes| !notes.is_empty()),
            venue: &self.venue,
            section: self.section.as_deref(),
            row: self.row_label.as_deref(),
            number: self.number,
            kind: self.kind,
            zone: self.zone.as_deref(),
            category: self.category.as_deref(),
            price: self.price,
            price_type: self.price_type.as_deref(),
            price_type_note: self.what_to_bring(),
        }
    }

    /// Returns the name of the seat, with its kind, or of the zone, in the language of a page.
    pub fn place_on(&self, v: &View) -> String {
        self.place(v.locale)
    }

    /// Returns the names of the price category and the price type, in the language of a page.
    fn price_names_on(&self, v: &View) -> String {
        self.price_names(v.locale)
    }
}

#[derive(Template)]
#[template(path = "tickets/list.html")]
struct TicketListPage {
    v: View,
    /// Upcoming tickets, then void ones of performances ahead, then past ones; empty groups are
    /// left out.
    groups: Vec<Group>,
    /// Pending hand-overs to the account; on the first page only.
    received: Vec<ReceivedOffer>,
    next: Option<Uuid>,
}

struct Group {
    text_key: &'static str,
    tickets: Vec<Ticket>,
}

/// Page of tickets, and the hand-overs that wait for the account's answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TicketsDocument<'a> {
    tickets: Vec<TicketDocument<'a>>,
    received: &'a [ReceivedOffer],
    next: Option<Uuid>,
}

/// Handles `GET /tickets`.
pub async fn list_tickets(
    app: Data<App>,
    me: CurrentAccount,
    query: Query<After>,
) -> Result<HttpResponse, PageError> {
    let rows = store::list_tickets(&app.db, me.account_id, None, query.after).await?;
    let page = Page::cut(rows, |ticket| ticket.id.0);
    let received = match query.after {
        Some(_) => Vec::new(),
        None => views::list_received(&app.db, me.account_id).await?,
    };
    if me.view.format.is_for_programs() {
        let tickets = page.rows.iter().map(Ticket::document).collect();
        let document = TicketsDocument { tickets, received: &received, next: page.next };
        return Ok(me.view.json(StatusCode::OK, &document));
    }
    let now = app.now();
    let (ahead, past): (Vec<_>, Vec<_>) =
        page.rows.into_iter().partition(|ticket| ticket.starts_at > now);
    let (void, mut upcoming): (Vec<_>, Vec<_>) =
        ahead.into_iter().partition(|ticket| ticket.status == TicketStatus::Void);
    upcoming.sort_by_key(|ticket| (ticket.starts_at, ticket.id));
    let groups = [
        ("ticket-list-upcoming", upcoming),
        ("ticket-list-void", void),
        ("ticket-list-past", past),
    ];
    let groups = groups.into_iter().filter(|(_, tickets)| !tickets.is_empty());
    let groups = groups.map(|(text_key, tickets)| Group { text_key, tickets }).collect();
    let page = TicketListPage { v: me.view, groups, received, next: page.next };
    Ok(page.v.html(StatusCode::OK, &page))
}

/// Page of one ticket.
#[derive(Debug, Template)]
#[template(path = "tickets/show.html")]
pub struct TicketPage {
    pub v: View,
    ticket: Ticket,
    /// Position among the tickets of the reservation that the account holds, from 1.
    index: usize,
    total: usize,
    previous: Option<TicketCode>,
    next: Option<TicketCode>,
    /// Former and present holders, oldest first; empty if the ticket never changed hands.
    holders: Vec<TicketHolder>,
    offer: Option<PendingOffer>,
    /// Form that offers the ticket; `None` where it cannot be handed over.
    form: Option<HandOverBox>,
    /// Part of the page about putting the ticket back on sale.
    returned: ReturnBox,
    /// Address of the show, for sharing.
    show_url: String,
    /// Whether the tickets can be mailed once more.
    is_mailed: bool,
}

impl TicketPage {
    /// Reads the page of a ticket that the account of `v` holds, with `form` if the ticket can be
    /// handed over.
    pub async fn read(
        app: &App,
        v: View,
        ticket: Ticket,
        form: HandOverBox,
    ) -> Result<Self, sqlx::Error> {
        let returned = ReturnBox::read(app, &ticket, None).await?;
        Self::with(app, v, ticket, form, returned).await
    }

    /// Reads the page with the `refusal` of a return.
    pub async fn of_return(
        app: &App,
        v: View,
        ticket: Ticket,
        refusal: String,
    ) -> Result<Self, sqlx::Error> {
        let returned = ReturnBox::read(app, &ticket, Some(refusal)).await?;
        Self::with(app, v, ticket, HandOverBox::new(), returned).await
    }

    async fn with(
        app: &App,
        v: View,
        ticket: Ticket,
        form: HandOverBox,
        returned: ReturnBox,
    ) -> Result<Self, sqlx::Error> {
        let codes = store::list_codes(&app.db, ticket.reservation_id, ticket.account_id).await?;
        let position = codes.iter().position(|other| *other == ticket.code).unwrap_or_default();
        let neighbour = |idx: Option<usize>| idx.and_then(|idx| codes.get(idx)).cloned();
        let mut holders = views::list_holders(&app.db, ticket.id, None).await?;
        if holders.len() == 1 {
            holders.clear();
        }
        let offer = match ticket.is_offered {
            true => views::find_pending(&app.db, ticket.id).await?,
            false => None,
        };
        let is_movable = ticket.status == TicketStatus::Valid
            && ticket.starts_at > app.now()
            && !ticket.is_on_return;
        Ok(Self {
            v,
            index: position + 1,
            total: codes.len(),
            previous: neighbour(position.checked_sub(1)),
            next: neighbour(position.checked_add(1)),
            holders,
            form: (form.refusal.is_some() || is_movable && offer.is_none()).then_some(form),
            offer,
            returned,
            show_url: format!("{}/programs/{}", app.config.site_url(), ticket.slug),
            is_mailed: app.config.smtp_url.is_some() && ticket.status == TicketStatus::Valid,
            ticket,
        })
    }

    /// Returns when the ticket was sold to another buyer or refunded, for people.
    fn sold_at(&self, sold: &ShownReturn) -> String {
        let at = sold.settled_at.as_ref();
        at.map(|at| self.v.moment(at, &self.ticket.time_zone)).unwrap_or_default()
    }

    fn document(&self) -> TicketDocument<'_> {
        TicketDocument {
            holders: Some(&self.holders),
            hand_over: self.offer.as_ref(),
            returned: self.returned.shown.as_ref(),
            ..self.ticket.document()
        }
    }
}

/// Returns the ticket of the signed-in account that the path names.
pub(crate) async fn own_ticket(
    app: &App,
    me: &CurrentAccount,
    path: &str,
) -> Result<Ticket, PageError> {
    let code: TicketCode = path.parse().ok().ok_or(NotFound)?;
    let mut found = store::list_tickets(&app.db, me.account_id, Some(&code), None).await?;
    Ok(found.pop().ok_or(NotFound)?)
}

/// Handles `GET /tickets/{code}`. A replaced code redirects its former holder to the hand-over.
pub async fn show_ticket(
    app: Data<App>,
    me: CurrentAccount,
    path: Path<String>,
) -> Result<HttpResponse, PageError> {
    let ticket = match own_ticket(&app, &me, &path).await {
        Ok(ticket) => ticket,
        Err(missing) => {
            let page = replacement_page(&app, &me, &path).await?;
            return page.map(|page| see_other(&page)).ok_or(missing);
        }
    };
    let page = TicketPage::read(&app, me.view, ticket, HandOverBox::new()).await?;
    Ok(page.v.show(&page, &page.document()))
}

/// Returns the path of the hand-over by which the account gave away the ticket whose code is in
/// `path`; `None` if there is none.
async fn replacement_page(
    app: &App,
    me: &CurrentAccount,
    path: &str,
) -> Result<Option<String>, PageError> {
    let Ok(code) = path.parse::<TicketCode>() else { return Ok(None) };
    let Some(id) = views::find_replacement(&app.db, &code).await? else { return Ok(None) };
    let found = views::find_hand_over(&app.db, me.account_id, id).await?;
    let given = found.filter(|hand_over| hand_over.sender_id == me.account_id);
    Ok(given.map(|hand_over| format!("/hand-overs/{}", hand_over.id)))
}
