//! Names of seats as people read them.

use super::{super::seat::MapSeat, kinds::kind_name};
use crate::{catalog::SeatKind, text::i18n::Phrase, web::page::View};

pub(crate) fn seat_name(v: &View, seat: &MapSeat, with_section: bool) -> Phrase {
    let name = if with_section { "seat-name-full" } else { "seat-name" };
    v.t(name)
        .word("section", &seat.section)
        .word("row", &seat.row_label)
        .word("number", seat.number)
}

/// Returns the full name of a seat, with its kind unless it is an ordinary one.
pub fn full_seat_name(
    v: &View,
    (section, row_label, number): (&str, &str, i32),
    kind: SeatKind,
) -> String {
    let name = v.t("seat-name-full").word("section", section).word("row", row_label);
    kind.with_name(name.word("number", number), v.locale)
}

/// Returns the names of seats; further seats of a row have only their number, and marked kinds are
/// named.
pub(crate) fn seat_names(v: &View, seats: &[MapSeat], with_section: bool) -> String {
    let is_one_row = |left: &MapSeat, right: &MapSeat| {
        left.section == right.section && left.row_label == right.row_label
    };
    let marked = |seat: &MapSeat, name: String| match seat.kind.is_standard() {
        true => name,
        false => format!("{name} ({})", kind_name(v, seat.kind)),
    };
    let mut names = Vec::new();
    for row in seats.chunk_by(is_one_row) {
        let [first, others @ ..] = row else { continue };
        names.push(marked(first, seat_name(v, first, with_section).to_string()));
        names.extend(others.iter().map(|seat| marked(seat, seat.number.to_string())));
    }
    // The no-break space keeps the dot at the end of a line.
    names.join("\u{a0}· ")
}

/// Returns the difference in points of an alternative's price; `None` if it costs the same.
pub fn price_difference(v: &View, points: i64) -> Option<Phrase> {
    let text = match points {
        0 => return None,
        1.. => "seat-alternative-more",
        _ => "seat-alternative-less",
    };
    Some(v.t(text).word("amount", v.price(points.abs())))
}
