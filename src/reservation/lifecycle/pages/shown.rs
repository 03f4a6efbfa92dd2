//! Reservation with the facts that its pages show.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, Programs, Schedule, SeatKind, find_schedule},
    reservation::{
        lifecycle::{
            self,
            pages::{exchanged::read_exchange, refund_table::RefundLine},
            store::exchanges::ShownExchange,
        },
        model::{Reservation, ReservationId},
        number::ReservationNumber,
        seat_map::{self, listing::NamedItem, pages::names::full_seat_name},
    },
    web::{
        error::{NotFound, PageError},
        page::View,
    },
};

/// Reservation, its items, and the performance that it is for.
pub(super) struct ShownReservation {
    pub(super) reservation: Reservation,
    pub(super) items: Vec<NamedItem>,
    pub(super) schedule: Schedule,
    pub(super) program: Arc<Program>,
    /// Open exchange whose tickets pay for it.
    pub(super) exchange: Option<ShownExchange>,
    now: DateTime<Utc>,
}

impl ShownReservation {
    /// Reads a reservation of `account_id`.
    pub(super) async fn read(
        app: &App,
        programs: &Programs,
        account_id: AccountId,
        id: ReservationId,
    ) -> Result<Self, PageError> {
        let found = lifecycle::find_owned(&app.db, account_id, id).await?;
        let mut reservation = found.ok_or(NotFound)?;
        let exchange = read_exchange(app, account_id, &mut reservation).await?;
        let items = seat_map::store::list_items(&app.db, id).await?;
        let schedule = find_schedule(app, reservation.schedule_id).await?.ok_or(NotFound)?;
        let program = programs.find(app, &reservation.program_id.to_string()).await?;
        let (program, now) = (program.ok_or(NotFound)?, app.now());
        Ok(Self { reservation, items, schedule, program, exchange, now })
    }

    pub(super) fn number(&self) -> ReservationNumber {
        self.reservation.id.into()
    }

    pub(super) fn is_held(&self) -> bool {
        self.reservation.status.is_held()
    }

    /// Whether its places belong to the owner, paid or not.
    pub(super) fn is_live(&self) -> bool {
        self.reservation.status.is_live()
    }

    /// Returns until when everything is refunded; `None` where the agreed share is.
    pub(super) fn full_refund_until(&self) -> Option<DateTime<Utc>> {
        self.reservation.full_refund_at(self.now)
    }

    /// Whether people were told of a change that the page still has to say.
    pub(super) fn is_changed(&self) -> bool {
        let is_moved = self.reservation.moved_from.is_some() || self.full_refund_until().is_some();
        is_moved || !self.reservation.changes.is_empty()
    }

    /// Returns the words of the office about the changes as the reader has them, each once, with their language.
    pub(super) fn words(&self, v: &View) -> Vec<(Option<&str>, &String)> {
        let moved = self.reservation.move_texts.as_deref();
        let changed = self.reservation.changes.iter().map(|note| &note.texts);
        let texts = moved.into_iter().chain(changed);
        let mut words: Vec<_> = texts.filter_map(|texts| texts.read(v.locale)).collect();
        let mut seen = std::collections::HashSet::new();
        words.retain(|(_, words)| seen.insert(*words));
        words
    }

    /// Lists the lines of the table of its refund terms; none if a sentence says all of them.
    pub(super) fn refund_lines(&self, v: &View) -> Vec<RefundLine> {
        self.reservation.refund_lines(v, &self.schedule.time_zone, self.now)
    }

    /// Returns the refund terms in a sentence: that of a single step, or that nothing comes back.
    pub(super) fn refund_sentence(&self, v: &View) -> String {
        let only = self.reservation.refund_steps.only();
        let (percent, when) =
            only.map_or((0, String::new()), |step| (step.percent, self.moment(v, &step.until)));
        v.t("reservation-refund-policy").word("when", when).number("percent", percent).to_string()
    }

    /// Returns the name of the seat of an item, or of its zone with the number of places.
    pub(super) fn item_name(&self, v: &View, item: &NamedItem) -> String {
        match (&item.section, &item.row_label, item.number, &item.zone_name) {
            (Some(section), Some(row), Some(number), _) => {
                full_seat_name(v, (section, row, number), item.kind.unwrap_or_default())
            }
            (.., zone) => {
                let zone = zone.as_deref().unwrap_or_default();
                let places = v.t("places-count").number("count", item.quantity);
                format!("{} · {places}", v.t("reservation-standing").word("zone", zone))
            }
        }
    }

    pub(super) fn has_restricted_view(&self) -> bool {
        self.items.iter().any(|item| item.kind == Some(SeatKind::RestrictedView))
    }

    /// Formats a moment on the clock of the venue.
    pub(super) fn moment(&self, v: &View, moment: &DateTime<Utc>) -> String {
        v.moment(moment, &self.schedule.time_zone)
    }
}
