//! Seat that staff look for, as people name one.

/// Seat by its names. A section that was not named is any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SoughtSeat {
    /// Name of the section; empty for any.
    pub(super) section: String,
    /// Name of the row, as typed and in capitals.
    pub(super) rows: [String; 2],
    /// Number in the row.
    pub(super) number: i32,
}

impl SoughtSeat {
    /// Parses a number behind a row, behind a section or none, such as `Balcony L-25`, `L25` or `1구역 3열 12번`;
    /// `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches(['번', '番']).trim_end();
        let n_digits = text.chars().rev().take_while(char::is_ascii_digit).count();
        let (names, number) = text.split_at(text.len() - n_digits);
        let number = number.parse().ok()?;
        let names = names.trim_end_matches([' ', '-', ',', '·']).trim_end_matches(['열', '列']);
        let names = names.trim();
        let (section, row) = names.rsplit_once(char::is_whitespace).unwrap_or(("", names));
        if row.is_empty() {
            return None;
        }
        let rows = [row.to_owned(), row.to_uppercase()];
        Some(Self { section: section.trim().to_owned(), rows, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_found_under_the_names_that_people_give_it() {
        for (text, section, row, number) in [
            ("Balcony L-25", "Balcony", "L", 25),
            ("upper balcony l 25", "upper balcony", "L", 25),
            ("L25", "", "L", 25),
            ("1구역 3열 12번", "1구역", "3", 12),
            ("1階 い列 7番", "1階", "い", 7),
            ("Stalls 12-1", "Stalls", "12", 1),
        ] {
            let seat = SoughtSeat::parse(text).unwrap();
            let told = (seat.section.as_str(), seat.rows[1].as_str(), seat.number);
            assert_eq!(told, (section, row, number), "{text}");
        }
        for text in ["", "25", "L", "ada@example.org", "Balcony L-99999999999"] {
            assert_eq!(SoughtSeat::parse(text), None, "{text}");
        }
    }
}
