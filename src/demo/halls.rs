//! Halls of the demo: sections of curved rows, as the seat map draws them.

use super::store::{self, SeatRow};
use crate::{catalog::SeatKind, infra::postgres::Connection};

/// Hall with its sections, front to back.
#[derive(Debug)]
pub(crate) struct Hall {
    pub(crate) name: &'static str,
    pub(crate) address: &'static str,
    pub(crate) sections: &'static [Section],
}

/// Rows of one section.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) rows: u16,
    pub(crate) seats_first_row: u16,
    /// Seats that each row has more than the one in front of it.
    pub(crate) seats_more_a_row: u16,
    /// Seats that are no ordinary ones.
    pub(crate) marked: &'static [Marked],
}

/// Seats of one kind in a row.
#[derive(Debug)]
pub(crate) struct Marked {
    /// Row, from the front of the section, from 0.
    pub(crate) row_idx: u16,
    pub(crate) numbers: &'static [i32],
    pub(crate) kind: SeatKind,
    /// Wheelchair places that companions' places belong to, one for each number.
    pub(crate) companions_of: &'static [i32],
}

const fn marked(row_idx: u16, kind: SeatKind, numbers: &'static [i32]) -> Marked {
    Marked { row_idx, numbers, kind, companions_of: &[] }
}

pub(crate) const HALLS: &[Hall] = &[
    Hall {
        name: "Haneul Concert Hall",
        address: "Seoul, Yeouido",
        sections: &[
            Section {
                name: "Stalls",
                rows: 8,
                seats_first_row: 18,
                seats_more_a_row: 2,
                marked: &[
                    marked(0, SeatKind::EasyAccess, &[1, 2, 17, 18]),
                    marked(7, SeatKind::Wheelchair, &[1, 4, 32]),
                    Marked {
                        companions_of: &[1, 4, 32],
                        ..marked(7, SeatKind::Companion, &[2, 3, 31])
                    },
                ],
            },
            Section {
                name: "Balcony",
                rows: 5,
                seats_first_row: 24,
                seats_more_a_row: 2,
                marked: &[marked(0, SeatKind::RestrictedView, &[1, 2, 23, 24])],
            },
        ],
    },
    Hall {
        name: "골목극장",
        address: "서울 종로구 대학로",
        sections: &[Section {
            name: "1층",
            rows: 6,
            seats_first_row: 10,
            seats_more_a_row: 0,
            marked: &[],
        }],
    },
    Hall { name: "Riverside Park", address: "Seoul, Ttukseom", sections: &[] },
];

/// Bend of a row towards the stage, in seat widths per squared distance from the middle in seats.
const BEND: f32 = 0.008;
/// Aisle between two sections, in seat widths.
const AISLE: f32 = 1.5;
/// Distance between rows, in seat widths.
const ROW_PITCH: f32 = 1.15;

/// Inserts a hall with its seats.
pub(crate) async fn build(tx: &mut Connection, hall: &Hall) -> Result<(), sqlx::Error> {
    let venue_id = store::insert_venue(tx, hall.name, hall.address).await?;
    let widest = hall.sections.iter().map(Section::widest).max().unwrap_or_default();
    let middle = (f32::from(widest) - 1.0) / 2.0;
    let mut y = 0.0;
    let mut labels = 'A'..='Z';
    for section in hall.sections {
        for row_idx in 0..section.rows {
            let seats = section.seats_first_row + row_idx * section.seats_more_a_row;
            let label = labels.next().unwrap_or('Z').to_string();
            let row = SeatRow { venue_id, section: section.name, label: &label };
            let from_middle: Vec<f32> =
                (0..seats).map(|idx| f32::from(idx) - (f32::from(seats) - 1.0) / 2.0).collect();
            let xs: Vec<f32> = from_middle.iter().map(|offset| middle + offset).collect();
            let ys: Vec<f32> =
                from_middle.iter().map(|offset| y - BEND * offset * offset).collect();
            store::insert_seats(tx, &row, &xs, &ys).await?;
            for marked in section.marked.iter().filter(|marked| marked.row_idx == row_idx) {
                store::mark_seats(tx, &row, marked.kind, marked.numbers, marked.companions_of)
                    .await?;
            }
            y += ROW_PITCH;
        }
        y += AISLE;
    }
    Ok(())
}

impl Section {
    fn widest(&self) -> u16 {
        self.seats_first_row + self.rows.saturating_sub(1) * self.seats_more_a_row
    }
}
