//! Rules for choosing a password.
//!
//! A password is long enough, in no list of breaches, and more than its owner's name or
//! address. There is no rule on capitals and digits: it makes passwords harder to remember and
//! no harder to guess.

use sha2::{Digest, Sha256};

use crate::{
    accounts::name::Name,
    text::email::{Email, fold},
};

/// Shortest password, in characters.
const CHARS_MIN: usize = 8;
/// Longest password, in bytes; longer ones cost hashing time and add no protection.
pub(crate) const BYTES_MAX: usize = 256;
/// Bytes kept of each known password's SHA-256.
const KEPT_BYTES: usize = 4;
/// Shortest part of a name that counts, in characters; shorter ones occur in words by chance.
const PART_CHARS_MIN: usize = 3;
/// Shortest part of a name that is not ASCII, where one character may be a syllable.
const PART_SYLLABLES_MIN: usize = 2;
/// Characters that a password must have beside its owner's names.
const REST_CHARS_MIN: usize = 6;

/// Words that are tried first at any office; `docs/KNOWN-PASSWORDS.md` lists them.
const OFFICE_WORDS: [&str; 5] = ["stagedoor", "ticket", "office", "admin", "staff"];

/// Sorted hash prefixes of breached passwords; `docs/KNOWN-PASSWORDS.md` names the sources.
static KNOWN: &[u8] = include_bytes!("../../../data/known_passwords.bin");

/// Reason why a password may not be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRefusal {
    /// Too short or too long.
    #[error("The password needs 8 characters or more, and 256 bytes at most.")]
    Length,
    /// In a list of breached passwords.
    #[error("The password stands in lists of breached ones, which are tried first.")]
    Known,
    /// Little more than the owner's name or address.
    #[error("The password is little more than the name or the e-mail address.")]
    Own,
}

impl PasswordRefusal {
    /// Returns the locale key of the reason.
    pub fn text_key(self) -> &'static str {
        match self {
            Self::Length => "account-refusal-password",
            Self::Known => "account-refusal-password-known",
            Self::Own => "account-refusal-password-own",
        }
    }
}

/// Checks whether `text` may be the password of the owner of `email` and `name`; a `None` is
/// not compared.
pub(crate) fn check(
    text: &str,
    email: Option<&Email>,
    name: Option<&Name>,
) -> Result<(), PasswordRefusal> {
    if text.chars().count() < CHARS_MIN || text.len() > BYTES_MAX {
        return Err(PasswordRefusal::Length);
    }
    let folded = fold(text);
    if is_known(&folded) || is_known(folded.trim()) || is_one_letter(&folded) {
        return Err(PasswordRefusal::Known);
    }
    if is_made_of(&folded, OFFICE_WORDS.iter().map(ToString::to_string)) {
        return Err(PasswordRefusal::Known);
    }
    let parts = email.into_iter().flat_map(parts_of_email);
    let parts = parts.chain(name.into_iter().flat_map(|name| parts_of(name.as_str())));
    if is_made_of(&folded, parts) { Err(PasswordRefusal::Own) } else { Ok(()) }
}

fn is_known(folded: &str) -> bool {
    let digest: [u8; 32] = Sha256::digest(folded).into();
    let (kept, _) = KNOWN.as_chunks::<KEPT_BYTES>();
    digest.first_chunk().is_some_and(|start| kept.binary_search(start).is_ok())
}

fn is_one_letter(folded: &str) -> bool {
    let first = folded.chars().next();
    folded.chars().all(|c| Some(c) == first)
}

/// Whether few characters of `folded` remain without `parts`, the longest removed first. Only
/// letters and digits count.
fn is_made_of(folded: &str, parts: impl Iterator<Item = String>) -> bool {
    let mut parts: Vec<String> = parts.filter(|part| is_long_enough(part)).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    let whole = letters(folded);
    let rest = parts.iter().fold(whole.clone(), |rest, part| rest.replace(part, ""));
    rest != whole && rest.chars().count() < REST_CHARS_MIN
}

fn is_long_enough(part: &str) -> bool {
    let needed = if part.is_ascii() { PART_CHARS_MIN } else { PART_SYLLABLES_MIN };
    part.chars().count() >= needed
}

fn parts_of_email(email: &Email) -> Vec<String> {
    let mut parts = parts_of(email.name());
    parts.extend([letters(email.host_label()), letters(email.as_str())]);
    parts
}

/// Returns the words of `text`, and the whole of it without separators, folded.
fn parts_of(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).map(ToOwned::to_owned);
    words.chain([letters(&folded)]).collect()
}

fn letters(folded: &str) -> String {
    folded.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<(), PasswordRefusal> {
        let email = Email::parse("ada.lovelace@analytical.example");
        check(text, email.as_ref(), Name::parse("Ada King 김민아").as_ref())
    }

    #[test]
    fn what_was_breached_is_refused_however_it_is_written() {
        for known in [
            "password",
            "Password",
            "PASSWORD1",
            "password1234",
            "12345678",
            "qwertyuiop",
            "iloveyou123",
            "1q2w3e4r5t",
            "p@ssw0rd",
            "correcthorsebatterystaple",
            " password ",
            "ｐａｓｓｗｏｒｄ",
            "aaaaaaaaaaaaaaaaaaaaaaaa",
            "        ",
            "StageDoor-1",
            "TicketOffice 2030",
            "Admin!Admin!",
        ] {
            assert_eq!(checked(known), Err(PasswordRefusal::Known), "{known}");
        }
    }

    #[test]
    fn ones_own_name_and_address_are_no_password() {
        for own in [
            "ada.lovelace@analytical.example",
            "AdaLovelace",
            "lovelace1815",
            "ada ada ada",
            "analytical!1",
            "King-Ada-99",
            "김민아김민아김민아",
            "김민아 김민아 12345",
        ] {
            assert_eq!(checked(own), Err(PasswordRefusal::Own), "{own}");
        }
    }

    #[test]
    fn whatever_else_is_long_enough_may_be_chosen() {
        for fine in [
            "open sesame door",
            "swordfish swordfish",
            "a long enough one",
            "ada wrote the first program",
            "정말 긴 비밀번호예요",
            "xK3#pq9!",
            "김민아 123456",
            "x1x1 a lovely kin",
            &"x1".repeat(128),
        ] {
            assert_eq!(checked(fine), Ok(()), "{fine}");
        }
        for length in ["", "short", "seven 7", &"x1".repeat(129)] {
            assert_eq!(checked(length), Err(PasswordRefusal::Length), "{length}");
        }
    }

    #[test]
    fn the_list_can_be_searched_by_halving() {
        let (kept, rest) = KNOWN.as_chunks::<KEPT_BYTES>();
        assert!(rest.is_empty() && kept.len() > 150_000 && kept.is_sorted());
    }

    #[test]
    fn a_part_of_a_name_that_occurs_in_words_by_chance_is_not_compared() {
        for (name, fine, own) in
            [("Jo Oz", "jojoba99", "jooz!jooz"), ("김 이", "김치김치 123!", "김이김이김이 12")]
        {
            let checked = |text| check(text, None, Name::parse(name).as_ref());
            assert_eq!(checked(fine), Ok(()), "{fine}");
            assert_eq!(checked(own), Err(PasswordRefusal::Own), "{own}");
        }
    }
}
