//! Names of seats as people read them.

use super::super::seat::MapSeat;
use crate::{catalog::SeatKind, text::i18n::Phrase, web::page::View};

pub(crate) fn seat_name(v: &View, seat: &MapSeat, with_section: bool) -> Phrase {
    let name = if with_section { "seat-name-full" } else { "seat-name" };
    v.t(name)
        .word("section", &seat.section)
        .word("row", &seat.row_label)
        .word("number", seat.number)
}

/// Returns the full name of a seat, with its kind unless it is an ordinary one.
pub(crate) fn full_seat_name(
    v: &View,
    (section, row_label, number): (&str, &str, i32),
    kind: SeatKind,
) -> String {
    let name = v.t("seat-name-full").word("section", section).word("row", row_label);
    let name = name.word("number", number).to_string();
    match kind.text_key() {
        Some(kind) => format!("{name} · {}", v.text(kind)),
        None => name,
    }
}
