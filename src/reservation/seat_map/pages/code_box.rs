//! Code on the page of a map: its terms, and what it takes off offers.

use super::SeatMapPage;
use crate::{
    catalog::ScheduleId,
    points::Points,
    reservation::{
        codes::model::SaleCode,
        hold::{alternatives::Alternative, other_places::PlacesAlternative},
    },
    text::i18n::Phrase,
};

impl SeatMapPage<'_> {
    /// Returns the id of the form that sends the typed code: that of the seats, so that those which are
    /// chosen stay so, or one of its own.
    pub(super) fn code_form(&self) -> &'static str {
        if self.map.drawing.sections.is_empty() { "code" } else { "seats" }
    }

    /// Returns what the code takes off, as a sentence.
    pub(super) fn code_terms(&self, code: &SaleCode) -> Phrase {
        let terms = match (code.percent, code.amount) {
            (Some(percent), _) => self.v.t("seat-code-percent").word("percent", percent),
            (None, amount) => {
                let amount = self.v.points(amount.unwrap_or_default().get());
                self.v.t("seat-code-amount").word("amount", amount)
            }
        };
        terms.word("code", &code.word)
    }

    /// Returns the code if it is for the seats of an alternative, too.
    pub(super) fn code_of_seats(&self, alternative: &Alternative) -> Option<&SaleCode> {
        let code = self.code.as_ref()?;
        let is_in = |only: &str| alternative.seats.iter().all(|seat| seat.section == only);
        code.section.as_deref().is_none_or(is_in).then_some(code)
    }

    /// Returns the code if it is for the places of an alternative, too.
    pub(super) fn code_of_places(&self, offer: &PlacesAlternative) -> Option<&SaleCode> {
        let code = self.code.as_ref()?;
        let is_of = |only: ScheduleId| only == offer.schedule_id;
        let is_in = |only: &str| only == offer.name;
        let fits = code.schedule_id.is_none_or(is_of) && code.section.as_deref().is_none_or(is_in);
        fits.then_some(code)
    }

    /// Returns what is left of `sum` with the code.
    #[expect(
        clippy::unused_self,
        clippy::trivially_copy_pass_by_ref,
        clippy::ref_option_ref,
        reason = "called from the template"
    )]
    pub(super) fn net(&self, code: &Option<&SaleCode>, sum: &Points) -> Points {
        let discount = code.map(|code| code.discount(*sum)).unwrap_or_default();
        sum.checked_sub(discount).unwrap_or_default()
    }
}
