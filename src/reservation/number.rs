//! Number of a reservation as people read it out.

use std::{fmt, ops::RangeInclusive, str::FromStr};

use uuid::Uuid;

use super::model::ReservationId;

/// Number of a reservation: ten letters and digits in two groups, such as `1M9W2-K7Q4D`.
///
/// It is computed from the id (RFC 9562, UUID version 7): the millisecond in which the reservation
/// was made, counted from the beginning of 2020, and the last nine bits, which distinguish
/// reservations of one millisecond. So the reservations with one number are adjacent in the order
/// of ids, and finding them needs no further index. In the rare case that two have the same number,
/// both are found. The digits are Crockford's base32, which has no letter that is mistaken for a
/// digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservationNumber(u64);

/// Error for text that is not the number of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no reservation number")]
pub struct NoReservationNumber;

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BITS_PER_DIGIT: u32 = 5;
const DIGITS_IN_ALL: u32 = 10;
const DIGITS_PER_GROUP: u32 = 5;
/// 2020-01-01T00:00:00Z, in milliseconds of Unix time.
const FIRST_MS: u64 = 1_577_836_800_000;
/// Bits of an id below its millisecond.
const BITS_BELOW_MS: u32 = 80;
/// Last bits of an id that are part of the number.
const LAST_BITS: u32 = 9;

impl From<ReservationId> for ReservationNumber {
    fn from(id: ReservationId) -> Self {
        let bits = id.0.as_u128();
        let ms = u64::try_from(bits >> BITS_BELOW_MS).unwrap_or_default();
        let last = u64::try_from(bits & ((1 << LAST_BITS) - 1)).unwrap_or_default();
        let in_all = BITS_PER_DIGIT * DIGITS_IN_ALL;
        Self(((ms.saturating_sub(FIRST_MS) << LAST_BITS) | last) & ((1 << in_all) - 1))
    }
}

impl ReservationNumber {
    /// Returns the range of ids that can have this number: all ids of its millisecond.
    pub fn ids(self) -> RangeInclusive<Uuid> {
        let ms = u128::from((self.0 >> LAST_BITS) + FIRST_MS);
        let first = ms << BITS_BELOW_MS;
        Uuid::from_u128(first)..=Uuid::from_u128(first | ((1 << BITS_BELOW_MS) - 1))
    }
}

impl fmt::Display for ReservationNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for nth in 0..DIGITS_IN_ALL {
            if nth > 0 && nth % DIGITS_PER_GROUP == 0 {
                f.write_str("-")?;
            }
            let shift = BITS_PER_DIGIT * (DIGITS_IN_ALL - 1 - nth);
            let digit = usize::try_from((self.0 >> shift) & 31).unwrap_or_default();
            write!(f, "{}", char::from(*DIGITS.get(digit).unwrap_or(&b'0')))?;
        }
        Ok(())
    }
}

impl FromStr for ReservationNumber {
    type Err = NoReservationNumber;

    /// Parses a typed number: in any case, with or without its dash, and with letters typed in
    /// place of similar digits.
    fn from_str(text: &str) -> Result<Self, NoReservationNumber> {
        let typed = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '-');
        let (mut bits, mut n_digits) = (0, 0);
        for letter in typed {
            let digit = match letter.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                letter => letter,
            };
            let value = DIGITS.iter().position(|known| char::from(*known) == digit);
            let value = value.and_then(|value| u64::try_from(value).ok());
            bits = (bits << BITS_PER_DIGIT) | value.ok_or(NoReservationNumber)?;
            n_digits += 1;
            if n_digits > DIGITS_IN_ALL {
                return Err(NoReservationNumber);
            }
        }
        if n_digits == DIGITS_IN_ALL { Ok(Self(bits)) } else { Err(NoReservationNumber) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Result<ReservationNumber, NoReservationNumber> {
        text.parse()
    }

    #[test]
    fn a_number_is_read_as_it_is_heard() {
        let id = ReservationId("0196f5a0-7c80-7abc-8def-0123456789ab".parse().unwrap());
        let shown = ReservationNumber::from(id).to_string();
        assert_eq!(shown, "2F5SS-JJ0DB");
        let heard = shown.to_lowercase().replace('1', "l").replace('0', "o").replace('-', " ");
        assert_eq!(number(&heard), Ok(ReservationNumber::from(id)));
    }

    #[test]
    fn what_is_no_number_is_told_apart() {
        for nonsense in ["", "-", "ABCDE-FGH", "ABCDE-FGHJKM", "ABCDE-FGHJU", "ada@example.com"] {
            assert_eq!(number(nonsense), Err(NoReservationNumber), "{nonsense}");
        }
        assert_eq!(number(&"0".repeat(1_000)), Err(NoReservationNumber));
        assert!(number("ZZZZZZZZZZ").is_ok_and(|last| last.ids().start() < last.ids().end()));
    }

    proptest! {
        #[test]
        fn an_id_is_among_those_of_its_number(ms in FIRST_MS..FIRST_MS + (1 << 41), below: [u8; 10]) {
            let mut bytes = [0; 16];
            bytes[..6].copy_from_slice(&ms.to_be_bytes()[2..]);
            bytes[6..].copy_from_slice(&below);
            let id = ReservationId(Uuid::from_bytes(bytes));
            let shown = ReservationNumber::from(id).to_string();
            prop_assert_eq!(number(&shown), Ok(ReservationNumber::from(id)));
            prop_assert!(ReservationNumber::from(id).ids().contains(&id.0));
        }
    }
}
