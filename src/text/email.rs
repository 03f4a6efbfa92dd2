//! E-mail addresses, and the one place that folds them.

use std::fmt;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizer;

/// E-mail address: text on both sides of an @, at most 254 bytes (RFC 5321).
///
/// Parsing folds the address: width and compatibility (NFKC), case (Unicode full case folding),
/// and the host to its ASCII form (IDNA). Only the folded address is stored, compared, looked
/// up and counted, so no two programs can disagree on whether two addresses are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    const BYTES_MAX: usize = 254;

    /// Returns the folded address, or `None` if `text` cannot be one. Deliverability is not
    /// checked.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        // The limit applies to the text as typed, too, which bounds the work of folding.
        if text.len() > Self::BYTES_MAX {
            return None;
        }
        let (name, host) = text.rsplit_once('@')?;
        let (name, host) = (fold(name), idna::domain_to_ascii(host).ok()?);
        // Folding makes an @ of letters that look like one; two of them would be another address.
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '@';
        let is_usable = !name.is_empty()
            && !host.is_empty()
            && name.chars().chain(host.chars()).all(is_plain)
            && fold(&name) == name;
        let folded = format!("{name}@{host}");
        (is_usable && folded.len() <= Self::BYTES_MAX).then_some(Self(folded))
    }

    /// Returns the folded address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the part before the @.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(name, _)| name)
    }

    /// Returns the first label of the host.
    pub fn host_label(&self) -> &str {
        let host = self.0.rsplit_once('@').map_or("", |(_, host)| host);
        host.split('.').next().unwrap_or_default()
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns `text` folded in width and case (NFKC, full case folding) and composed. Folding is
/// idempotent except for a few sequences that occur in no address.
pub fn fold(text: &str) -> String {
    let normalizer = ComposingNormalizer::new_nfkc();
    let composed = normalizer.normalize(text);
    let folded = CaseMapper::new().fold_string(&composed);
    normalizer.normalize(&folded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Option<String> {
        Email::parse(text).map(|email| email.to_string())
    }

    #[test]
    fn an_address_has_two_sides() {
        assert_eq!(folded(" ada@example.com ").as_deref(), Some("ada@example.com"));
        for wrong in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "a da@example.com",
            "a\n@b",
            "a\0@b",
            "@",
            "a@b@c.example",
            "a\u{ff20}b@c.example",
            "a@b.example\u{ff20}c.example",
        ] {
            assert_eq!(folded(wrong), None, "{wrong:?}");
        }
        let long = |length: usize| format!("{}@example.com", "a".repeat(length - 12));
        assert_eq!(folded(&long(254)), Some(long(254)));
        assert_eq!(folded(&long(255)), None);
        assert_eq!(folded(&"a@b".repeat(30_000)), None);
    }

    #[test]
    fn one_mailbox_is_one_address_however_it_is_written() {
        for same in
            ["Ada@Example.COM", "ＡＤＡ@example.com", "ada@ＥＸＡＭＰＬＥ.com", "ADA@example。com"]
        {
            assert_eq!(folded(same).as_deref(), Some("ada@example.com"), "{same}");
        }
        assert_eq!(folded("a@BÜCHER.example"), folded("a@xn--bcher-kva.example"));
        assert_eq!(folded("STRASSE@b.example"), folded("straße@b.example"));
        assert_eq!(folded("Å@b.example"), folded("A\u{30a}@b.example"));
        assert_eq!(folded("ΣΑΣ@b.example"), folded("σας@b.example"));
        assert_eq!(folded("김민아@예시.kr"), folded("김민아@xn--vv4b11d.kr"));
    }

    /// U+0130 folds to `i` in PostgreSQL and not in Rust.
    #[test]
    fn a_dotted_capital_is_nobody_elses_letter() {
        assert_ne!(folded("ad\u{130}@b.example"), folded("adi@b.example"));
        assert_ne!(folded("ad\u{131}@b.example"), folded("adi@b.example"));
        assert_eq!(folded("ad\u{130}@b.example"), folded("adi\u{307}@b.example"));
        // U+212A (Kelvin sign) folds to `k` in both.
        assert_eq!(folded("\u{212a}im@b.example").as_deref(), Some("kim@b.example"));
    }

    #[test]
    fn folding_twice_is_folding_once() {
        let letters = (0..0x1_4000).filter_map(char::from_u32);
        for letter in letters {
            if let Some(once) = Email::parse(&format!("a{letter}b@example.com")) {
                assert_eq!(Email::parse(once.as_str()).as_ref(), Some(&once), "{letter:?}");
            }
        }
    }
}
