//! Code on the page of a map: its terms, and the discount on alternatives.

use super::SeatMapPage;
use crate::{
    catalog::ScheduleId,
    points::Points,
    reservation::{
        codes::model::SaleCode,
        hold::refusals::{alternatives::Alternative, other_places::PlacesAlternative},
    },
    text::i18n::Phrase,
};

impl SeatMapPage<'_> {
    /// Returns the id of the form that sends the typed code: the form of the seats, so that chosen
    /// seats stay chosen, or a separate one if no seats are drawn.
    pub(super) fn code_form(&self) -> &'static str {
        if self.map.drawing.sections.is_empty() { "code" } else { "seats" }
    }

    /// Whether the page shows the terms of a code, before an order with it.
    pub(super) fn tells_terms(&self) -> bool {
        self.code.is_some() && self.refusal.is_none()
    }

    /// Returns the discount of the code, as a sentence.
    pub(super) fn code_discount(&self, code: &SaleCode) -> Phrase {
        let terms = match (code.percent, code.amount) {
            (Some(percent), _) => self.v.t("seat-code-percent").word("percent", percent),
            (None, amount) => {
                let amount = self.v.price(amount.unwrap_or_default().get());
                self.v.t("seat-code-amount").word("amount", amount)
            }
        };
        terms.word("code", &code.word)
    }

    /// Lists the bounds of the code as sentences: for which places, how often and until when it may
    /// be used.
    pub(super) fn code_bounds(&self, code: &SaleCode) -> Vec<Phrase> {
        let section = code.section.as_deref();
        let section = section.map(|name| self.v.t("seat-code-section").word("section", name));
        let schedule = code.schedule_id.map(|_| self.v.t("seat-code-schedule"));
        let uses = code.uses_per_account_max;
        let uses = uses.map(|count| self.v.t("seat-code-uses").number("count", count));
        let places = code.places_left();
        let places = places.map(|count| self.v.t("seat-code-places").number("count", count));
        let returned = self.has_returned().then(|| self.v.t("seat-code-returned"));
        let until = code.valid_until.map(|at| {
            self.v.t("seat-code-until").word("when", self.v.moment(&at, &self.schedule.time_zone))
        });
        [section, schedule, uses, places, returned, until].into_iter().flatten().collect()
    }

    /// Whether a seat or place of the page is on return.
    pub(super) fn has_returned(&self) -> bool {
        self.map.drawing.seats().any(|seat| seat.is_on_return)
            || self.map.zones.iter().any(|zone| zone.on_return > 0)
    }

    /// Returns the code if it is also for the seats of an alternative.
    pub(super) fn code_of_seats(&self, alternative: &Alternative) -> Option<&SaleCode> {
        let code = self.code.as_ref()?;
        let is_for = alternative.seats.iter().all(|seat| code.is_for_section(&seat.section));
        let is_useful = alternative.seats.iter().any(|seat| !seat.is_on_return);
        (is_for && is_useful).then_some(code)
    }

    /// Returns the code if it is also for the places of an alternative.
    pub(super) fn code_of_places(&self, offer: &PlacesAlternative) -> Option<&SaleCode> {
        let code = self.code.as_ref()?;
        let is_of = |only: ScheduleId| only == offer.schedule_id;
        let fits = code.schedule_id.is_none_or(is_of) && code.is_for_zone(offer.zone_id);
        (fits && offer.is_reducible).then_some(code)
    }

    /// Returns `sum` less the discount of the code, which reduces only the part `reducible`.
    #[expect(
        clippy::unused_self,
        clippy::trivially_copy_pass_by_ref,
        clippy::ref_option_ref,
        reason = "called from the template"
    )]
    pub(super) fn net(&self, code: &Option<&SaleCode>, sum: &Points, reducible: &Points) -> Points {
        let discount = code.map(|code| code.discount(*reducible)).unwrap_or_default();
        sum.checked_sub(discount).unwrap_or_default()
    }
}
