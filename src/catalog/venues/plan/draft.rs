//! Seat plan while it is parsed: seat by seat, or section by section of a grid.

use std::collections::HashMap;

use super::{
    categories,
    columns::SeatLine,
    header::NEEDED,
    house,
    kinds::{self, LineKind},
    mistake::{PlanMistake, PlanProblem},
    seat::{FAR, PlannedSeat, SeatName, is_name},
};

/// Bound on seats of one venue.
const SEATS_MAX: usize = 100_000;

/// Plan being parsed.
#[derive(Default)]
pub(super) struct Draft {
    seats: Vec<PlannedSeat>,
    lines: HashMap<SeatName, u64>,
    /// Tier of each section, if the text states tiers.
    tiers: HashMap<String, usize>,
}

impl Draft {
    /// Adds a seat.
    pub(super) fn add(&mut self, line: u64, seat: SeatLine<'_>) -> Result<(), PlanMistake> {
        let SeatLine { names: [section, row, number], place, kind, category } = seat;
        let LineKind { kind, companion_of } = kind;
        let mut names = NEEDED.into_iter().zip([section, row]);
        if let Some((column, name)) = names.find(|(_, name)| !is_name(name)) {
            return Err(PlanMistake::new(line, PlanProblem::Name, name).in_column(column));
        }
        let parsed = number.parse().ok().filter(|number: &i32| *number > 0);
        let number = parsed.ok_or_else(|| {
            PlanMistake::new(line, PlanProblem::Number, number).in_column("number")
        })?;
        let name = SeatName { section: section.to_owned(), row: row.to_owned(), number };
        if let Some(first) = self.lines.insert(name, line) {
            return Err(PlanMistake::new(line, PlanProblem::Twice, &first.to_string()));
        }
        if self.seats.len() >= SEATS_MAX {
            return Err(PlanMistake::new(line, PlanProblem::TooMany, &SEATS_MAX.to_string()));
        }
        let (x, y) = place.unwrap_or_default();
        let (section, row) = (section.to_owned(), row.to_owned());
        self.seats.push(PlannedSeat { section, row, number, x, y, kind, companion_of, category });
        Ok(())
    }

    /// Adds a section of a grid; returns its name.
    pub(super) fn add_section(&mut self, line: u64, text: &str) -> Result<String, PlanMistake> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let (section, rows, seats, category) = match fields.as_slice() {
            [section, rows, seats] => (*section, rows, seats, ""),
            [section, rows, seats, category] => (*section, rows, seats, *category),
            _ => return Err(PlanMistake::new(line, PlanProblem::Shape, text)),
        };
        let (rows, seats) = (count(line, rows)?, count(line, seats)?);
        let category = categories::parse(line, category)
            .map_err(|mistake| PlanMistake { column: None, ..mistake })?;
        for row in 0..rows {
            for number in 1..=seats {
                let (row, number) = (row_name(row), number.to_string());
                let seat = SeatLine {
                    names: [section, row.as_str(), number.as_str()],
                    place: None,
                    kind: LineKind::default(),
                    category: category.clone(),
                };
                // A grid has no columns.
                self.add(line, seat).map_err(|mistake| PlanMistake { column: None, ..mistake })?;
            }
        }
        Ok(section.to_owned())
    }

    /// Puts a section on a tier, counted from the stage.
    pub(super) fn put_on_tier(&mut self, section: String, tier: usize) {
        self.tiers.insert(section, tier);
    }

    /// Returns the seats, and gives them places if the text had none.
    pub(super) fn finish(mut self, is_placed: bool) -> Result<Vec<PlannedSeat>, PlanMistake> {
        if self.seats.is_empty() {
            return Err(PlanMistake::new(1, PlanProblem::Empty, ""));
        }
        kinds::require_wheelchairs(&self.seats, &self.lines)?;
        if !is_placed {
            house::place(&mut self.seats, &self.tiers);
        }
        self.require_points()?;
        Ok(self.seats)
    }

    /// Requires that each seat stands within the map, and at a point of its own.
    fn require_points(&self) -> Result<(), PlanMistake> {
        let line_of = |seat: &PlannedSeat| self.lines.get(&seat.name()).copied().unwrap_or(1);
        let mut taken: HashMap<(u32, u32), &PlannedSeat> = HashMap::new();
        for seat in &self.seats {
            if seat.x > FAR || seat.y > FAR {
                let text = format!("{FAR}");
                return Err(PlanMistake::new(line_of(seat), PlanProblem::TooFar, &text));
            }
            // Zero has two signs.
            let point = ((seat.x + 0.0).to_bits(), (seat.y + 0.0).to_bits());
            if let Some(first) = taken.insert(point, seat) {
                let text = line_of(first).to_string();
                return Err(PlanMistake::new(line_of(seat), PlanProblem::SamePoint, &text));
            }
        }
        Ok(())
    }
}

/// Returns the name of a row counted from 0: A, B … Z, AA, AB and so on.
fn row_name(row: i32) -> String {
    const LETTERS: i32 = 26;
    let letter = char::from(b'A' + u8::try_from(row % LETTERS).unwrap_or_default());
    match row / LETTERS {
        0 => letter.to_string(),
        before => row_name(before - 1) + &letter.to_string(),
    }
}

fn count(line: u64, text: &str) -> Result<i32, PlanMistake> {
    const COUNT_MAX: i32 = 1_000;
    let parsed = text.parse().ok().filter(|count: &i32| (1..=COUNT_MAX).contains(count));
    parsed.ok_or_else(|| PlanMistake::new(line, PlanProblem::Number, text))
}
