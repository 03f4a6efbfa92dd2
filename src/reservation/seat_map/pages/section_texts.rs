//! Texts and addresses of sections on the page of the map.

use super::SeatMapPage;
use crate::{reservation::seat_map::listing::SectionListing, text::i18n::Phrase};

impl SeatMapPage<'_> {
    pub(super) fn section_free(&self, name: &str, free: impl std::fmt::Display) -> Phrase {
        self.v.t("seat-section-free").word("section", name).word("free", self.v.number(free))
    }

    pub(super) fn section_href(&self, name: &str) -> String {
        let mut query = vec![("section", name)];
        query.extend(self.kinds.is_step_free.then_some(("step_free", "on")));
        let query = serde_html_form::to_string(query).unwrap_or_default();
        format!("/schedules/{}?{query}", self.schedule.id)
    }

    /// Returns the price range of a section, with its unit.
    pub(super) fn section_prices(&self, section: &SectionListing) -> String {
        self.v.prices.say_range(self.v.locale, section.price_min, section.price_max)
    }

    /// Returns the price range of a section for the little room on its shape.
    pub(super) fn price_sign(&self, section: &SectionListing) -> String {
        self.v.prices.sign_range(self.v.locale, section.price_min, section.price_max)
    }

    pub(super) fn section_label(
        &self,
        section: &SectionListing,
        free: impl std::fmt::Display,
    ) -> Phrase {
        let label = self.v.t("seat-section-label").word("section", &section.name);
        label.word("free", free).word("prices", self.section_prices(section))
    }

    /// Returns the label with placeholders for the script, which fills in later values.
    pub(super) fn section_label_pattern(&self, section: &SectionListing) -> Phrase {
        let label = self.v.t("seat-section-label").word("section", &section.name);
        label.word("free", "{free}").word("prices", "{prices}")
    }

    pub(super) fn free_words(&self, section: &SectionListing) -> Phrase {
        match section.free {
            0 => self.v.t("seat-zone-sold-out"),
            free => self.v.t("seat-free-count").word("free", self.v.number(free)),
        }
    }

    pub(super) fn is_shown(&self, name: &str) -> bool {
        self.map.section.as_deref() == Some(name)
    }
}
