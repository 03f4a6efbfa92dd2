//! Names of seats as people read them.

use super::super::seat::MapSeat;
use crate::{text::i18n::Phrase, web::page::View};

pub(crate) fn seat_name(v: &View, seat: &MapSeat, with_section: bool) -> Phrase {
    let name = if with_section { "seat-name-full" } else { "seat-name" };
    v.t(name)
        .word("section", &seat.section)
        .word("row", &seat.row_label)
        .word("number", seat.number)
}
