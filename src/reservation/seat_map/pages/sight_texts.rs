//! Sentences about the view of seats on the stage.

use super::{SeatMapPage, drawing::RowView};
use crate::text::i18n::Phrase;

impl SeatMapPage<'_> {
    /// Returns the view of a row on the stage, from its first to its last seat; `None` if the plan
    /// does not state it.
    pub(super) fn row_view(&self, row: &RowView) -> Option<Phrase> {
        let stage = self.map.drawing.sight?.stage;
        let middle = stage.seen_from(&row.seats.get(row.seats.len() / 2)?.seat);
        let [from, to] = [row.seats.first()?, row.seats.last()?].map(|view| {
            let sight = stage.seen_from(&view.seat);
            self.side(sight.degrees)
        });
        let text = self.v.t("seat-view-row").word("rows", format!("{:.0}", middle.rows));
        Some(text.word("from", from).word("to", to))
    }

    fn side(&self, degrees: f32) -> Phrase {
        let key = match degrees {
            0.0 => return self.v.t("seat-view-centre"),
            ..0.0 => "seat-view-left",
            _ => "seat-view-right",
        };
        self.v.t(key).word("degrees", format!("{:.0}", degrees.abs()))
    }

    /// Returns the pattern with which the script describes the view from a seat.
    pub(super) fn view_pattern(&self) -> Phrase {
        self.v.t("seat-view").word("rows", "{rows}").word("side", "{side}")
    }

    pub(super) fn side_pattern(&self, key: &'static str) -> Phrase {
        self.v.t(key).word("degrees", "{degrees}")
    }
}
