//! Reservations of all accounts: listed, shown, refunded.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path, Query},
};
use askama::Template;
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{
    sought_seat::SoughtSeat,
    store::{self as store, BookedItem, Booking},
};
use crate::{
    accounts::{AdminAccount, ConfirmedAdmin, Profile, find_accounts, search_profiles},
    admin::{
        cancellation::pages::parse_refunds,
        pages::{parse_reason, saved},
        people::{self, Refund},
    },
    app::App,
    audit::{
        self,
        model::{Act, AuditEntry, Reason, Subject},
    },
    catalog::{ProgramId, RefundTarget},
    infra::{idempotency::RequestKey, ids::new_id, postgres::page::Page},
    payment::Share,
    reservation::{RefundLine, RefundMoment, ReservationId, ReservationNumber, ReservationStatus},
    text::typed,
    tickets::{self, Ticket, TicketCode, TicketError, TicketStatus, mailing},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, Fields, FormRefusal, Mistakes},
        page::View,
        request_key,
    },
};

/// Upper bound of the reservations of one seat that are found, one for each performance.
const PLACED_MAX: i64 = 1_000;

/// Upper bound of the people that are shown above reservations.
const PEOPLE_MAX: usize = 5;

/// Query string of the list of reservations.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BookingSearch {
    /// Address or name of a person, a reservation number, the code of a ticket or a seat; empty: all reservations.
    #[serde(deserialize_with = "typed::deserialize")]
    q: String,
    /// Program whose seats are meant, where a seat is sought.
    program: Option<ProgramId>,
    /// Key of the last row of the page before.
    after: Option<Uuid>,
}

#[derive(Template)]
#[template(path = "admin/reservations.html")]
struct BookingsPage {
    v: View,
    query: BookingSearch,
    /// People whom the text names, with or without reservations; at most [`PEOPLE_MAX`].
    people: Vec<Profile>,
    bookings: Page<Booking>,
}

/// Page of reservations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BookingsDocument<'a> {
    /// People whom the text names, with or without reservations: the newest accounts.
    people: &'a [Profile],
    reservations: &'a [Booking],
    next: Option<Uuid>,
}

/// `GET /admin/reservations`
pub async fn list_bookings(
    app: Data<App>,
    me: AdminAccount,
    query: Query<BookingSearch>,
) -> Result<HttpResponse, PageError> {
    let query = query.into_inner();
    let text = query.q.trim();
    let mut people = match (text, query.after) {
        ("", _) | (_, Some(_)) => Vec::new(),
        (text, None) => search_profiles(&app.db, text, None).await?,
    };
    people.truncate(PEOPLE_MAX);
    let accounts = match text {
        "" => None,
        _ => Some(find_accounts(&app.db, text).await?),
    };
    let number: Option<ReservationNumber> = text.parse().ok();
    let id = Uuid::try_parse(text).ok().map(|id| id..=id);
    let ids = id.or(number.map(ReservationNumber::ids));
    let placed = list_placed(&app, text, query.program).await?;
    let which = (ids, placed.as_slice());
    let found = store::list(&app.db, accounts.as_deref(), which, query.after, app.now()).await?;
    let mut bookings = Page::cut(found, |booking| booking.id.0);
    if let Some(number) = number {
        // The range of ids also contains other reservations of the number's millisecond.
        bookings.rows.retain(|booking| {
            let is_theirs = |ids: &Vec<Uuid>| ids.contains(&booking.account_id.0);
            booking.number() == number
                || accounts.as_ref().is_some_and(is_theirs)
                || placed.contains(&booking.id.0)
        });
    }
    let page = BookingsPage { v: me.view, query, people, bookings };
    let (reservations, next) = (&page.bookings.rows, page.bookings.next);
    let document = BookingsDocument { people: &page.people, reservations, next };
    Ok(page.v.show(&page, &document))
}

/// Lists the reservations of the ticket with the code `text`, or of the seat that `text` names, at any program or at
/// one.
async fn list_placed(
    app: &App,
    text: &str,
    program_id: Option<ProgramId>,
) -> Result<Vec<Uuid>, sqlx::Error> {
    if let Ok(code) = text.parse::<TicketCode>() {
        return Ok(store::find_by_code(&app.db, &code).await?.into_iter().collect());
    }
    match SoughtSeat::parse(text) {
        Some(seat) => store::list_at_seat(&app.db, &seat, program_id, PLACED_MAX).await,
        None => Ok(Vec::new()),
    }
}

#[derive(Template)]
#[template(path = "admin/reservation.html")]
struct BookingPage {
    v: View,
    booking: Booking,
    items: Vec<BookedItem>,
    /// Valid tickets, which may be given back alone.
    tickets: Vec<Ticket>,
    request_key: Uuid,
    refusal: FormRefusal,
    /// Whether the refund may go to cards.
    has_cards: bool,
    /// Whether mails are sent.
    is_mailed: bool,
    now: DateTime<Utc>,
}

impl BookingPage {
    async fn of(app: &App, v: View, id: ReservationId) -> Result<Self, PageError> {
        let now = app.now();
        let mut found =
            store::list(&app.db, Some(&[]), (Some(id.0..=id.0), &[]), None, now).await?;
        let booking = found.pop().ok_or(NotFound)?;
        let items = store::list_items(&app.db, booking.id).await?;
        let mut tickets = tickets::list_of_reservation(&app.db, booking.id).await?;
        tickets.retain(|ticket| ticket.status == TicketStatus::Valid);
        let request_key = new_id();
        let (refusal, has_cards) = (FormRefusal::default(), app.config.payment.is_for_money());
        let is_mailed = app.config.smtp_url.is_some();
        Ok(Self { v, booking, items, tickets, request_key, refusal, has_cards, is_mailed, now })
    }

    /// Lists the lines of the table of the agreed terms; none if a sentence says all of them.
    fn refund_lines(&self) -> Vec<RefundLine> {
        let is_full = self.booking.full_refund_until.is_some_and(|until| self.now < until);
        let at = RefundMoment { now: self.now, is_paid: true, is_full };
        self.booking.refund_steps.lines(&self.v, &self.booking.time_zone, at)
    }

    /// Whether the agreed terms give anything back, at any time.
    fn has_refund(&self) -> bool {
        self.booking.refund_percent > 0
    }
}

/// Reservation with its items.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BookingDocument<'a> {
    reservation: &'a Booking,
    items: &'a [BookedItem],
}

/// `GET /admin/reservations/{id}`
pub async fn show_booking(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    let page = BookingPage::of(&app, me.view, *id).await?;
    let document = BookingDocument { reservation: &page.booking, items: &page.items };
    Ok(page.v.show(&page, &document))
}

/// Number of accounts that got tickets by mail.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mailed {
    n_accounts: u64,
}

/// `POST /admin/reservations/{id}/mail`
pub async fn create_mail(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    let mut page = BookingPage::of(&app, me.view.clone(), *id).await?;
    let outcome = audit::perform(&app, async |tx| {
        let n_accounts = mailing::mail_again(tx, *id, None, app.now()).await?;
        let entry = AuditEntry::new(me.account_id, Act::TicketsMailed, Subject::Reservation, *id);
        Ok::<_, TicketError>((Mailed { n_accounts }, entry))
    })
    .await;
    let done = |v: &View, mailed: Mailed| {
        let path = format!("/admin/reservations/{id}");
        with_message(v.done(StatusCode::ACCEPTED, &mailed, &path), "flash-admin-tickets-mailed")
    };
    let page = async |_, refusal: FormRefusal| {
        page.refusal = refusal.beside_fields();
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(outcome.map_err(PageError::from), done, page).await
}

/// Refund form as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["share", "reason"]))]
pub struct RefundForm {
    /// Codes of the tickets that are given back alone; empty: all of the reservation.
    codes: Fields,
    /// `agreed` or `all`.
    share: Field,
    /// Where the money goes: `card`, which an empty field means too, or `wallet`.
    refunds: Field,
    /// Reason, for the log.
    reason: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

/// What a refund form says, with its request key.
type ParsedRefund = (Vec<TicketCode>, Share, RefundTarget, Reason, Option<Uuid>);

impl RefundForm {
    fn parse(&self) -> Result<ParsedRefund, Mistakes> {
        let mut mistakes = Mistakes::default();
        let codes: Option<Vec<TicketCode>> = self.codes.0.iter().map(Field::parse).collect();
        let codes = codes.filter(|codes| TicketCode::are_distinct(codes));
        let codes = mistakes.note("codes", "exchange-refusal-codes", codes);
        let share = match self.share.text() {
            "agreed" => Some(Share::AsAgreed),
            "all" => Some(Share::All),
            _ => None,
        };
        let share = mistakes.note("share", "admin-refusal-share", share);
        let reason = parse_reason(&mut mistakes, &self.reason);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let refunds = parse_refunds(&mut mistakes, &self.refunds);
        let parsed = codes.zip(share).zip(reason).zip(refunds);
        mistakes
            .or(parsed
                .map(|(((codes, share), reason), refunds)| (codes, share, refunds, reason, key)))
    }
}

/// `POST /admin/reservations/{id}/refund`
pub async fn create_refund(
    app: Data<App>,
    ConfirmedAdmin(me): ConfirmedAdmin,
    id: Path<ReservationId>,
    Body(form): Body<RefundForm>,
) -> Result<HttpResponse, PageError> {
    let mut page = BookingPage::of(&app, me.view.clone(), *id).await?;
    if page.booking.total.get() > i64::from(app.config.step_up_refund_points) {
        me.require_code()?;
    }
    let outcome = async {
        let (codes, share, target, reason, key) = form.parse()?;
        let key = key.map(|key| {
            let route = format!("POST /admin/reservations/{id}/refund");
            // A request of the version before, which named no tickets, is still the same request.
            let said = match codes.is_empty() {
                true => json!([form.share.text(), target, reason]),
                false => json!([form.share.text(), target, reason, codes]),
            };
            RequestKey::new(me.account_id.0, key, &route, &said)
        });
        let (reservation_id, owner_id) = (*id, page.booking.account_id);
        let refund = Refund { reservation_id, owner_id, codes, share, target, reason };
        Ok(people::refund(&app, me.account_id, &refund, key.as_ref()).await?)
    }
    .await;
    let next = format!("/admin/reservations/{id}");
    let page = async |_, refusal: FormRefusal| {
        page.refusal = refusal.beside_fields();
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(outcome, |v, cancelled| saved(v, &cancelled, &next), page).await
}
