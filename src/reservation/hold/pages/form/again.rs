//! Fields of a refused form, for forms that repeat its request.

use super::HoldForm;
use crate::{catalog::ScheduleSeatId, points::Points};

impl HoldForm {
    /// Returns the fields of the same request with another total. The price per seat is left out,
    /// because the total limits the price.
    pub(crate) fn at_total(&self, total: Points) -> Vec<(&'static str, String)> {
        let mut fields = self.choice_fields();
        fields.push(("total", total.get().to_string()));
        fields
    }

    /// Returns the fields of the same request, except the confirmation that its places are needed,
    /// with `more` seats. The total is left out if seats are added, because it does not include
    /// them.
    pub fn to_confirm(&self, more: &[ScheduleSeatId]) -> Vec<(&'static str, String)> {
        let mut fields = self.choice_fields();
        fields.retain(|(name, _)| *name != "needed");
        fields.extend(more.iter().map(|id| ("seat_ids", id.to_string())));
        let priced = [("price", &self.price), ("price_version", &self.price_version)];
        let total = [("total", &self.total)];
        let shown = priced.into_iter().chain(total.into_iter().filter(|_| more.is_empty()));
        let filled = shown.filter(|(_, field)| !field.is_empty());
        fields.extend(filled.map(|(name, field)| (name, field.text().to_owned())));
        fields
    }

    /// Returns the fields of the same request without its code. A shown total is left out, because
    /// it may include the discount.
    pub fn without_code(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.choice_fields();
        fields.retain(|(name, _)| !name.starts_with("code"));
        let priced = [
            ("price", &self.price),
            ("price_version", &self.price_version),
            ("unit_price", &self.unit_price),
        ];
        let filled = priced.into_iter().filter(|(_, field)| !field.is_empty());
        fields.extend(filled.map(|(name, field)| (name, field.text().to_owned())));
        fields
    }

    fn choice_fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        let named = [
            ("zone_id", &self.zone_id),
            ("quantity", &self.quantity),
            ("best", &self.best),
            ("section", &self.section),
            ("step_free", &self.step_free),
            ("needed", &self.needed),
            ("code", &self.code),
            ("code_id", &self.code_id),
        ];
        let seats = self.seat_ids.0.iter().map(|field| ("seat_ids", field));
        let seat_types = self.seat_types.0.iter().map(|field| ("seat_types", field));
        let quantities = self.quantities.0.iter().map(|field| ("quantities", field));
        let lists = seats.chain(seat_types).chain(quantities);
        for (name, field) in named.into_iter().chain(lists).filter(|(_, field)| !field.is_empty()) {
            fields.push((name, field.text().to_owned()));
        }
        fields
    }
}
