//! Halls of the demo: sections of curved rows, as the seat map draws them, and their price categories.

use super::store::{self, SeatRow};
use crate::{
    catalog::{HouseSection, SeatKind, house_places},
    infra::postgres::Connection,
};

/// Hall with its sections, front to back.
#[derive(Debug)]
pub(crate) struct Hall {
    pub name: &'static str,
    pub address: &'static str,
    pub sections: &'static [Section],
}

/// Rows of one section.
#[derive(Debug)]
pub(crate) struct Section {
    pub name: &'static str,
    pub rows: u16,
    pub(crate) seats_first_row: u16,
    /// Seats that each row has more than the one in front of it.
    pub(crate) seats_more_a_row: u16,
    /// Seats that are no ordinary ones.
    pub marked: &'static [Marked],
}

/// Seats of one kind in a row.
#[derive(Debug)]
pub(crate) struct Marked {
    /// Row, from the front of the section, from 0.
    pub row_idx: u16,
    pub numbers: &'static [i32],
    pub kind: SeatKind,
    /// Wheelchair places that companions' places belong to, one for each number.
    pub companions_of: &'static [i32],
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

/// Price categories of every hall, from the front: each a third of its rows, as
/// [`insert_schedule_seats`](store::insert_schedule_seats) prices them.
const CATEGORIES: [&str; 3] = ["R", "S", "A"];

/// Returns the price category of a row of `rows`, counted from 0.
fn category_of(row_idx: usize, rows: usize) -> &'static str {
    let idx = CATEGORIES.len() * row_idx / rows.max(1);
    CATEGORIES.get(idx).copied().unwrap_or_default()
}

/// Inserts a hall with its seats.
pub(crate) async fn build(tx: &mut Connection, hall: &Hall) -> Result<(), sqlx::Error> {
    let venue_id = store::insert_venue(tx, hall.name, hall.address).await?;
    let tiers: Vec<_> = hall.sections.iter().map(|section| vec![section.rows_of_seats()]).collect();
    let places = house_places(&tiers);
    let mut places = places.as_slice();
    let mut labels = ('A'..='Z').enumerate();
    let n_rows: usize = hall.sections.iter().map(|section| usize::from(section.rows)).sum();
    for section in hall.sections {
        for row_idx in 0..section.rows {
            let seats = usize::from(section.seats_in(row_idx));
            let (nth, label) = labels.next().unwrap_or((n_rows, 'Z'));
            let category = category_of(nth, n_rows);
            let row =
                SeatRow { venue_id, section: section.name, label: &label.to_string(), category };
            let (of_row, others) = places.split_at_checked(seats).unwrap_or((places, &[]));
            let (xs, ys): (Vec<f32>, Vec<f32>) = of_row.iter().copied().unzip();
            places = others;
            store::insert_seats(tx, &row, &xs, &ys).await?;
            for marked in section.marked.iter().filter(|marked| marked.row_idx == row_idx) {
                store::mark_seats(tx, &row, marked.kind, marked.numbers, marked.companions_of)
                    .await?;
            }
        }
    }
    Ok(())
}

impl Section {
    fn seats_in(&self, row_idx: u16) -> u16 {
        self.seats_first_row + row_idx * self.seats_more_a_row
    }

    fn rows_of_seats(&self) -> HouseSection {
        let row = |row_idx| (0..self.seats_in(row_idx)).map(f32::from).collect();
        HouseSection { rows: (0..self.rows).map(row).collect() }
    }
}
