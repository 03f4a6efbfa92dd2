//! Seat plans of venues, parsed from a CSV or from the lines of a grid.

mod categories;
mod columns;
pub mod difference;
mod draft;
mod header;
pub mod house;
mod kinds;
mod lines;
mod mistake;
mod seat;

use std::{collections::BTreeMap, iter};

use self::{
    columns::Columns,
    draft::Draft,
    lines::{Lines, first_filled},
    mistake::PlanProblem,
};
use super::kind::SeatKind;
pub use mistake::PlanMistake;
pub use seat::PlannedSeat;

/// Sign between the sections of a grid that stand beside each other.
const BESIDE: char = '|';

/// Seats of one venue: at least one, none twice, and no two at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatPlan {
    seats: Vec<PlannedSeat>,
}

impl SeatPlan {
    /// Returns the seats, in the order they were written.
    pub fn seats(&self) -> &[PlannedSeat] {
        &self.seats
    }

    /// Returns the seats, in the order they were written, without the plan.
    pub(crate) fn into_seats(self) -> Vec<PlannedSeat> {
        self.seats
    }

    /// Returns the number of seats of each section, by name.
    pub fn sections(&self) -> Vec<(&str, usize)> {
        let mut sections: BTreeMap<&str, usize> = BTreeMap::new();
        for seat in &self.seats {
            *sections.entry(&seat.section).or_default() += 1;
        }
        sections.into_iter().collect()
    }

    /// Returns the number of seats of each marked kind that the plan has.
    pub fn kinds(&self) -> Vec<(SeatKind, usize)> {
        let count = |kind| self.seats.iter().filter(|seat| seat.kind == kind).count();
        let kinds = SeatKind::MARKED.into_iter().map(|kind| (kind, count(kind)));
        kinds.filter(|(_, count)| *count > 0).collect()
    }

    /// Returns the number of seats of each price category, the frontmost category first.
    pub fn categories(&self) -> Vec<(&str, u32)> {
        categories::count(&self.seats)
    }

    /// Returns the plan of a venue's `seats`, which have their coordinates.
    pub fn of(seats: Vec<PlannedSeat>) -> Self {
        Self { seats }
    }

    /// Parses a CSV with the columns `section,row,number` and optionally `x,y`, `kind,companion_of`,
    /// `category` and `note`, whose fields are parted by commas, semicolons or tabs.
    pub fn from_csv(text: &str) -> Result<Self, PlanMistake> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let start = first_filled(text);
        let table = text.get(start..).unwrap_or_default();
        let delimiter = columns::delimiter_of(table);
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(table.as_bytes());
        let mut lines = Lines::of(text, start);
        let header = reader.headers().map_err(|error| unreadable(&mut lines, &error))?.clone();
        let columns = Columns::of(&header, lines.line_at(0), delimiter)?;

        let mut draft = Draft::default();
        for record in reader.records() {
            let record = record.map_err(|error| unreadable(&mut lines, &error))?;
            let line = lines.line_at(record.position().map_or(0, csv::Position::byte));
            if record.iter().all(str::is_empty) {
                continue;
            }
            if record.len() != header.len() {
                return Err(PlanMistake::new(line, PlanProblem::Shape, lines.text()));
            }
            draft.add(line, columns.read(line, &record)?)?;
        }
        Ok(Self { seats: draft.finish(columns.have_places())? })
    }

    /// Parses lines `section, rows, seats per row` with an optional price category at the end; rows
    /// are called A, B and so on. Sections of one line, with `|` between them, stand beside each other.
    pub fn from_grid(text: &str) -> Result<Self, PlanMistake> {
        let mut draft = Draft::default();
        let states_tiers = text.contains(BESIDE);
        for (tier, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let line = u64::try_from(tier).unwrap_or(u64::MAX).saturating_add(1);
            for part in text.split(BESIDE) {
                let section = draft.add_section(line, part)?;
                if states_tiers {
                    draft.put_on_tier(section, tier);
                }
            }
        }
        Ok(Self { seats: draft.finish(false)? })
    }

    /// Returns the plan as a CSV that is parsed to the same plan.
    #[cfg(any(test, debug_assertions))]
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut written = Ok(());
        for record in self.records() {
            written = written.and_then(|()| writer.write_record(record));
        }
        // Writing to a vector cannot fail.
        let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Returns the lines of the plan's CSV: the header, and one for each seat.
    pub fn records(&self) -> impl Iterator<Item = Vec<String>> {
        let has_kinds = self.seats.iter().any(|seat| !seat.kind.is_standard());
        let has_categories = self.seats.iter().any(|seat| seat.category.is_some());
        let mut header = header::NEEDED.to_vec();
        header.extend(header::OF_PLACE);
        header.extend(header::OF_KIND.iter().filter(|_| has_kinds));
        header.extend(has_categories.then_some(header::OF_CATEGORY));
        let header = header.into_iter().map(str::to_owned).collect();
        let lines = self.seats.iter().map(move |seat| {
            let mut fields = vec![seat.section.clone(), seat.row.clone(), seat.number.to_string()];
            fields.extend([seat.x.to_string(), seat.y.to_string()]);
            if has_kinds {
                let kind = seat.kind.mark().map(|_| seat.kind.as_ref().to_owned());
                let of = seat.companion_of.map(|number| number.to_string());
                fields.extend([kind.unwrap_or_default(), of.unwrap_or_default()]);
            }
            if has_categories {
                fields.push(seat.category.clone().unwrap_or_default());
            }
            fields
        });
        iter::once(header).chain(lines)
    }
}

fn unreadable(lines: &mut Lines<'_>, error: &csv::Error) -> PlanMistake {
    let line = lines.line_at(error.position().map_or(0, csv::Position::byte));
    PlanMistake::new(line, PlanProblem::Shape, lines.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (u64, PlanProblem, String) {
        let mistake = SeatPlan::from_csv(text).unwrap_err();
        (mistake.line, mistake.problem, mistake.text)
    }

    #[test]
    fn a_csv_is_read_whole_and_written_back_the_same() {
        let text =
            "\u{feff}Section,Row,Number\nStalls,A,1\nStalls,A,2\nStalls,B,1\n\"Box, left\",A,1\n";
        let plan = SeatPlan::from_csv(text).unwrap();
        assert_eq!(plan.sections(), [("Box, left", 1), ("Stalls", 3)]);
        let places: Vec<(f32, f32)> = plan.seats().iter().map(|seat| (seat.x, seat.y)).collect();
        assert_eq!(places, [(0.0, 0.0), (1.0, 0.0), (0.5, 1.16), (0.5, 4.81)]);
        assert_eq!(SeatPlan::from_csv(&plan.to_csv()).unwrap(), plan);
    }

    #[test]
    fn kinds_are_written_back_where_there_are_any() {
        let text = "section,row,number,x,y,kind,companion_of\n\
                    A,1,1,0,0,WHEELCHAIR,\nA,1,2,1,0,COMPANION,1\nA,1,3,2,0,,\nA,1,4,3,0.5,EASY_ACCESS,\n";
        let plan = SeatPlan::from_csv(text).unwrap();
        assert_eq!(plan.to_csv(), text);
        assert_eq!(plan.kinds().len(), 3);
        assert_eq!(plan.seats()[1].companion_of, Some(1));
    }

    #[test]
    fn a_broken_line_is_named_with_what_is_wrong() {
        let refused = |text: &str| refusal(&format!("section,row,number\nA,1,1\n{text}\n"));
        assert_eq!(refused("A,1,one"), (3, PlanProblem::Number, "one".to_owned()));
        assert_eq!(refused("A,1,0"), (3, PlanProblem::Number, "0".to_owned()));
        assert_eq!(refused("A,,2"), (3, PlanProblem::Name, String::new()));
        assert_eq!(refused("A,1,1"), (3, PlanProblem::Twice, "2".to_owned()));
        assert_eq!(refused("A,1"), (3, PlanProblem::Shape, "A,1".to_owned()));
        assert_eq!(refused(" ,,\n  \nA,1,x"), (5, PlanProblem::Number, "x".to_owned()));
        // Line ends of Excel and of a browser's form, and empty lines between.
        for end in ["\r\n", "\r", "\n\n"] {
            let text = ["section,row,number", "A,1,1", "A,1,2", "A,1,x", "A,1"].join(end);
            let line = if end == "\n\n" { 7 } else { 4 };
            assert_eq!(refusal(&text), (line, PlanProblem::Number, "x".to_owned()));
            assert_eq!(refusal(&text.replace("A,1,x", "A")).0, line);
        }
        assert_eq!(refusal("section,row\nA,1\n").1, PlanProblem::Column);
        assert_eq!(refusal("section,row,number\n").1, PlanProblem::Empty);
        assert_eq!(refusal("section,row,number,x,y\nA,1,1,NaN,0\n").1, PlanProblem::Place);
    }

    #[test]
    fn lines_before_the_header_count() {
        for before in ["\n\n", "\r\n\r\n", " \n\t\n", "\u{feff}\n\n"] {
            let text = format!("{before}section,row,number\nA,1,1\nA,1,x\n");
            let mistake = SeatPlan::from_csv(&text).unwrap_err();
            assert_eq!((mistake.line, mistake.column.as_deref()), (5, Some("number")), "{text:?}");
            assert_eq!(refusal(&format!("{before}section,row\nA,1\n")).0, 3);
        }
    }

    #[test]
    fn each_column_of_the_header_is_known_and_stands_once_with_its_partner() {
        let refused = |header: &str| {
            let mistake = SeatPlan::from_csv(&format!("{header}\n")).unwrap_err();
            (mistake.problem, mistake.column.unwrap_or_default(), mistake.text)
        };
        let told =
            |problem, column: &str, text: &str| (problem, column.to_owned(), text.to_owned());
        for name in ["catgory", "colour", "sektion"] {
            let expected = told(PlanProblem::UnknownColumn, name, name);
            assert_eq!(refused(&format!("section,row,number,{name}")), expected);
        }
        let doubled = told(PlanProblem::DoubledColumn, "Section", "Section");
        assert_eq!(refused("section,Section,row,number"), doubled);
        for (column, partner) in [("x", "y"), ("y", "x"), ("companion_of", "kind")] {
            let lone = told(PlanProblem::LoneColumn, column, partner);
            assert_eq!(refused(&format!("section,row,number,{column}")), lone);
        }
        let noted = SeatPlan::from_csv("section,row,number,note,\nA,1,1,for the press,\n").unwrap();
        assert_eq!(noted.to_csv(), "section,row,number,x,y\nA,1,1,0,0\n");
        let (line, problem, text) = refusal("section,row,number,\nA,1,1,R\n");
        assert_eq!((line, problem, text.as_str()), (2, PlanProblem::UnknownColumn, "R"));
    }

    #[test]
    fn no_two_seats_stand_at_one_point() {
        let at = |place: &str| {
            refusal(&format!("section,row,number,x,y\nA,1,1,0,0\nA,1,2,1,0\nA,1,3,{place}\n"))
        };
        assert_eq!(at("1.0,-0"), (4, PlanProblem::SamePoint, "3".to_owned()));
        assert_eq!(at("-0,0"), (4, PlanProblem::SamePoint, "2".to_owned()));
        // Numbers far apart are the way of some houses, and no distance.
        let plan =
            SeatPlan::from_csv("section,row,number\nA,1,101\nA,1,70001\nA,1,80001\n").unwrap();
        assert_eq!(SeatPlan::from_csv(&plan.to_csv()).unwrap(), plan);
        let wide = ["S, 1, 1000"; 11];
        let wide: Vec<String> =
            wide.iter().enumerate().map(|(n, s)| s.replace('S', &format!("S{n}"))).collect();
        let mistake = SeatPlan::from_grid(&wide.join(" | ")).unwrap_err();
        assert_eq!((mistake.line, mistake.problem), (1, PlanProblem::TooFar));
    }

    #[test]
    fn fields_are_parted_by_commas_semicolons_or_tabs() {
        let text = "section,row,number,x,y\n1층,A,1,0.5,0\n1층,A,2,1.5,0\n";
        let plan = SeatPlan::from_csv(text).unwrap();
        for (delimiter, point) in [(";", ","), ("\t", ","), ("\t", ".")] {
            let other = text.replace(',', delimiter).replace('.', point);
            assert_eq!(SeatPlan::from_csv(&other).unwrap(), plan, "{other:?}");
        }
    }

    #[test]
    fn a_grid_names_its_rows_like_a_house_does() {
        let plan = SeatPlan::from_grid("Stalls, 28, 2\n\nBalcony,1,3").unwrap();
        let rows: Vec<&str> = plan.seats().iter().map(|seat| seat.row.as_str()).collect();
        assert_eq!((rows[0], rows[51], rows[52], rows[55]), ("A", "Z", "AA", "AB"));
        assert_eq!(plan.sections(), [("Balcony", 3), ("Stalls", 56)]);
        let mistake = SeatPlan::from_grid("Stalls, 3, 4\nBalcony, 0, 4").unwrap_err();
        assert_eq!((mistake.line, mistake.problem), (2, PlanProblem::Number));
    }

    #[test]
    fn sections_of_one_line_of_a_grid_stand_beside_each_other() {
        let plan = SeatPlan::from_grid("Left, 2, 3 | Right, 2, 3\n\nBalcony, 1, 9").unwrap();
        assert_eq!(plan.sections(), [("Balcony", 9), ("Left", 6), ("Right", 6)]);
        let of = |section: &str, pick: fn(&PlannedSeat) -> f32| -> Vec<f32> {
            plan.seats().iter().filter(|seat| seat.section == section).map(pick).collect()
        };
        let most = |all: Vec<f32>| all.into_iter().fold(0.0_f32, f32::max);
        let least = |all: Vec<f32>| all.into_iter().fold(f32::INFINITY, f32::min);
        assert!(most(of("Left", |seat| seat.x)) + 1.0 < least(of("Right", |seat| seat.x)));
        assert!(most(of("Left", |seat| seat.y)) < least(of("Balcony", |seat| seat.y)));
        let mistake = SeatPlan::from_grid("Left, 2, 3 | Right, 2").unwrap_err();
        assert_eq!((mistake.line, mistake.problem), (1, PlanProblem::Shape));
    }
}
