//! People of the bench: their ids and sessions, as `bench/sql/people.sql` makes them.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use uuid::Uuid;

/// The nth id of a kind, as `bench/sql/people.sql` counts them.
pub(crate) fn id(kind: u64, nth: u64) -> Uuid {
    Uuid::from_u64_pair(0x7000, 0x8000_0000_0000_0000 | (kind << 48) | nth)
}

/// The cookie of the nth person, as `bench/sql/people.sql` made it.
pub(crate) fn session(nth: u64) -> String {
    let mut token = [0; 32];
    for (byte, of_number) in token.iter_mut().rev().zip(id(0, nth).as_bytes().iter().rev().take(6))
    {
        *byte = *of_number;
    }
    BASE64_URL_SAFE_NO_PAD.encode(token)
}
