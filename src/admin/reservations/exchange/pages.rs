//! Page on which staff exchange tickets of a reservation for other places of its show.

use actix_web::{
    HttpResponse,
    http::StatusCode,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Exchanged, exchange};
use crate::{
    accounts::AdminAccount,
    admin::{
        pages::{NUMBER, number, parse_reason},
        reservations::store::{self as bookings, Booking},
    },
    app::App,
    audit::model::Reason,
    catalog::{ScheduleEdition, ScheduleId, list_schedule_editions},
    infra::{idempotency::RequestKey, ids::new_id},
    payment::{exchange::model::ExchangeOrder, staff_exchange::StaffExchange},
    points::Points,
    reservation::{
        ReservationId,
        waiting_list::model::{PLACES_MAX, WishOrder},
    },
    tickets::{self, Ticket, TicketCode, TicketStatus},
    web::{
        error::{NotFound, PageError},
        flash::with_message,
        form::{Body, Field, Fields, FormRefusal, Mistakes},
        page::View,
        request_key,
    },
};

/// Bound on the fee of a ticket, in points.
const FEE_MAX: i32 = 1_000_000_000;
/// Bound on characters of the name of a section.
const SECTION_CHARS_MAX: usize = 200;

/// Form of an exchange, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["codes", "schedule_id", "reason"]))]
pub struct StaffExchangeForm {
    /// Codes of the tickets to be given, at least one.
    codes: Fields,
    /// Performance of the other places, of the same show.
    schedule_id: Field,
    /// Number of places, 1 to 8. Empty: one for each ticket.
    places: Field,
    /// Name of a section or zone. Empty: any.
    section: Field,
    /// Points that each ticket is worth less than what was paid for it. Empty: 0.
    fee: Field,
    /// Reason, for the log.
    reason: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

type Parsed = (StaffExchange, Reason, Option<RequestKey>);

impl StaffExchangeForm {
    /// Parses the form as one about `booking`, sent by the account `by`.
    fn parse(&self, by: Uuid, booking: &Booking) -> Result<Parsed, Mistakes> {
        let mut mistakes = Mistakes::default();
        let codes: Option<Vec<TicketCode>> = self.codes.0.iter().map(Field::parse).collect();
        let codes = codes.filter(|codes| TicketCode::are_distinct(codes));
        let codes = mistakes.note("codes", "exchange-refusal-codes", codes);
        let schedule_id = self.schedule_id.parse::<Uuid>().map(ScheduleId);
        let schedule_id = mistakes.note("schedule_id", "admin-exchange-refusal-date", schedule_id);
        let places = match self.places.is_empty() {
            true => i32::try_from(self.codes.0.len()).ok(),
            false => number(&self.places, &(1..=PLACES_MAX)),
        };
        let places = mistakes.note("places", NUMBER, places.filter(|places| *places <= PLACES_MAX));
        let section = Some(self.section.text().to_owned());
        let section = section.filter(|name| name.chars().count() <= SECTION_CHARS_MAX);
        let section = mistakes.note("section", "admin-refusal-title", section);
        let fee = match self.fee.is_empty() {
            true => Some(0),
            false => number(&self.fee, &(0..=FEE_MAX)),
        };
        let fee = fee.and_then(|fee| Points::new(fee.into()));
        let fee = mistakes.note("fee", NUMBER, fee);
        let reason = parse_reason(&mut mistakes, &self.reason);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let parsed = codes.zip(schedule_id).zip(places).zip(section).zip(fee).zip(reason);
        mistakes.or(parsed.map(|(((((codes, schedule_id), places), section), fee), reason)| {
            let key = key.map(|key| {
                let said = json!([booking.id, codes, schedule_id, places, section, fee, reason]);
                RequestKey::new(by, key, "POST /admin/reservations/{id}/exchange", &said)
            });
            let (account_id, reservation_id) = (booking.account_id, booking.id);
            let order = ExchangeOrder { account_id, reservation_id, codes };
            let section = Some(section).filter(|name| !name.is_empty());
            let places =
                WishOrder { places, section, zone_id: None, price_max: None, is_together: false };
            (StaffExchange { order, fee, schedule_id, places }, reason, key)
        }))
    }

    fn is_given(&self, code: &TicketCode) -> bool {
        self.codes.0.iter().any(|sent| sent.text() == code.as_str())
    }

    fn is_date(&self, id: ScheduleId) -> bool {
        self.schedule_id.text() == id.to_string()
    }
}

#[derive(Template)]
#[template(path = "admin/exchange.html")]
struct StaffExchangePage {
    v: View,
    booking: Booking,
    tickets: Vec<Ticket>,
    /// Performances of the show that are still to come.
    dates: Vec<ScheduleEdition>,
    form: StaffExchangeForm,
    request_key: Uuid,
    refusal: FormRefusal,
}

/// Reservation of which tickets can be exchanged, and where to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StaffExchangeDocument<'a> {
    reservation: &'a Booking,
    /// Codes of the tickets that its account holds and that are valid.
    tickets: Vec<&'a TicketCode>,
    /// Performances of the show that are still to come, the soonest first.
    schedules: Vec<ScheduleId>,
}

impl StaffExchangePage {
    async fn read(app: &App, v: View, id: ReservationId) -> Result<Self, PageError> {
        let now = app.now();
        let ids = (Some(id.0..=id.0), [].as_slice());
        let mut found = bookings::list(&app.db, Some(&[]), ids, None, now).await?;
        let booking = found.pop().ok_or(NotFound)?;
        let mut tickets = tickets::list_of_reservation(&app.db, id).await?;
        tickets.retain(|ticket| {
            ticket.account_id == booking.account_id && ticket.status == TicketStatus::Valid
        });
        let program_id = bookings::program_of(&app.db, id).await?.ok_or(NotFound)?;
        let mut dates = list_schedule_editions(&app.db, program_id).await?;
        dates.retain(|date| date.starts_at > now && date.cancelled_at.is_none());
        let (form, request_key) = (StaffExchangeForm::default(), new_id());
        let refusal = FormRefusal::default();
        Ok(Self { v, booking, tickets, dates, form, request_key, refusal })
    }

    fn document(&self) -> StaffExchangeDocument<'_> {
        StaffExchangeDocument {
            reservation: &self.booking,
            tickets: self.tickets.iter().map(|ticket| &ticket.code).collect(),
            schedules: self.dates.iter().map(|date| date.id).collect(),
        }
    }
}

/// `GET /admin/reservations/{id}/exchange`
pub async fn show_exchange(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ReservationId>,
) -> Result<HttpResponse, PageError> {
    let page = StaffExchangePage::read(&app, me.view, *id).await?;
    Ok(page.v.show(&page, &page.document()))
}

/// `POST /admin/reservations/{id}/exchange`
pub async fn create_exchange(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ReservationId>,
    Body(form): Body<StaffExchangeForm>,
) -> Result<HttpResponse, PageError> {
    let mut page = StaffExchangePage::read(&app, me.view.clone(), *id).await?;
    let outcome = async {
        let (command, reason, key) = form.parse(me.account_id.0, &page.booking)?;
        let done = exchange(&app, me.account_id, &command, &reason, key.as_ref()).await?;
        Ok::<_, PageError>(done)
    }
    .await;
    let done = |v: &View, exchanged: Exchanged| {
        let path = format!("/admin/reservations/{}", exchanged.order_id);
        with_message(v.done(StatusCode::CREATED, &exchanged, &path), "flash-admin-exchanged")
    };
    let page = async |_, refusal: FormRefusal| {
        page.form = form;
        page.refusal = refusal.beside_fields();
        Ok(page.v.html(page.refusal.status(), &page))
    };
    me.view.answer(outcome, done, page).await
}
