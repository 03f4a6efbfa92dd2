//! What a reader sees of a mail, and their program.

use chrono::{DateTime, Utc};
use serde_json::Value;
use stagedoor::outbox::Message;
use uuid::Uuid;

use super::Told;
use crate::{mail::FROM, support::Received};

/// Address of the office.
pub(super) const SITE: &str = "http://tickets.localhost";
/// Words that stand where a text was not found or not filled in.
const UNRESOLVED: [&str; 6] = ["{ $", "{$", "Unknown localization", "Some(", "mail-", "Phrase"];

/// What people typed.
const TYPED: [&str; 12] = [
    super::ADA,
    super::BOB,
    "Globe & Co",
    "help@globe.example",
    "Sound & <Light>",
    "A concert",
    "Arena <north>",
    "A hall",
    "2 New Street",
    "Stalls",
    super::changes::MOVE_WORDS,
    super::changes::CHANGE_WORDS,
];

/// Mail as the outbox has it.
#[derive(sqlx::FromRow)]
pub(super) struct MailRow {
    pub(super) id: Uuid,
    pub(super) kind: String,
    pub(super) payload: Value,
    pub(super) recipient: String,
    pub(super) locale: String,
    pub(super) dedupe_key: String,
    pub(super) created_at: DateTime<Utc>,
}

/// Mail that was sent, with what is known of it.
pub(super) struct Sent<'a> {
    pub(super) message: Message,
    /// Kind, data and language, for failures.
    pub(super) name: String,
    /// What it was to be; `None` for a mail that a step of the product wrote meanwhile.
    pub(super) told: Option<&'a Told>,
    pub(super) row: MailRow,
    pub(super) mail: Received,
}

/// Fails unless the headers are what a mail program needs.
pub(super) fn expect_in_order(sent: &Sent<'_>) {
    let Sent { message, name, row, mail, .. } = sent;
    assert!(mail.defects.is_empty(), "{name}: {:?}", mail.defects);
    let subject = mail.header("Subject");
    assert!(!subject.trim().is_empty() && subject.trim() == subject, "{name}: {subject:?}");
    assert!(!subject.contains(char::is_control), "{name}: {subject:?}");
    assert_eq!((mail.header("From"), mail.sender.as_str()), (FROM, "tickets@office.example"));
    assert_eq!(
        (mail.header("To"), &mail.recipients),
        (row.recipient.as_str(), &vec![row.recipient.clone()])
    );
    let date = DateTime::parse_from_rfc2822(mail.header("Date")).unwrap();
    assert_eq!(date.timestamp(), row.created_at.timestamp(), "{name}: {date}");

    let can_be_declined = message.topic().is_some();
    assert_eq!(mail.all("List-Unsubscribe").len(), usize::from(can_be_declined), "{name}");
    assert_eq!(mail.all("List-Unsubscribe-Post").len(), usize::from(can_be_declined), "{name}");
    if can_be_declined {
        let href = mail.header("List-Unsubscribe").trim_matches(['<', '>']);
        assert!(href.starts_with(SITE) && !href.ends_with("..."), "{name}: {href}");
        assert!(mail.links.iter().any(|link| link == href), "{name}: {:?}", mail.links);
    }
}

/// Fails unless both forms say the same, in the mail's language, with links that lead to the office.
pub(super) fn expect_readable(sent: &Sent<'_>) {
    expect_alike(sent);
    expect_spoken(sent);
    let Sent { name, told, mail, .. } = sent;
    let said = mail.said.join(" ");
    for part in [mail.header("Subject"), &mail.text, &said] {
        for word in UNRESOLVED {
            assert!(!part.contains(word), "{name}: {word}: {part}");
        }
        let mut words = part.split(|c: char| !c.is_alphanumeric());
        assert!(!words.any(|word| word == "None"), "{name}: {part}");
    }
    assert!(said.contains("Globe & Co") && mail.text.contains("Globe & Co"), "{name}: {said}");
    assert!(!said.contains("Stagedoor") && !mail.text.contains("Stagedoor"), "{name}: {said}");
    // What people typed stands there as they did, and nothing else looks like markup.
    for markup in ["<p", "</", "<a", "<br", "<d", "&amp;", "&lt;", "&#"] {
        assert!(!mail.text.contains(markup), "{name}: {markup}: {}", mail.text);
        assert!(!said.contains(markup), "{name}: {markup}: {said}");
    }
    let written =
        mail.text.split_whitespace().filter_map(|word| word.find("http").map(|at| &word[at..]));
    for link in mail.links.iter().map(String::as_str).chain(written) {
        let is_contact = ["mailto:help@globe.example", "tel:+8221234567"].contains(&link);
        let path = link.strip_prefix(SITE);
        let is_own = path.is_some_and(|path| path.is_empty() || path.starts_with('/'));
        assert!(is_contact || is_own, "{name}: {link}");
    }
    let greeting = mail.text.lines().next().unwrap();
    assert!(greeting.contains(char::is_alphabetic), "{name}: {greeting}");
    if let Some(Told { greets, .. }) = told {
        let has_name = ["Ada", "Bob", "boss"].iter().any(|name| greeting.contains(name));
        assert_eq!(has_name, greets.is_some(), "{name}: {greeting}");
        assert!(greets.is_none_or(|greets| greeting.contains(greets)), "{name}: {greeting}");
    }
}

/// Fails unless each line of the text is said by the page, and each text of the page by the text.
fn expect_alike(Sent { name, mail, .. }: &Sent<'_>) {
    assert!(!mail.text.trim().is_empty() && !mail.said.is_empty(), "{name}");
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (text, page) = (folded(&mail.text), mail.said.join(" "));
    for line in mail.text.lines().map(folded).filter(|line| !line.is_empty() && line != "--") {
        let is_link = |href: &str| mail.links.iter().any(|link| link == href);
        let mut facts = line.match_indices(": ").map(|(at, _)| (&line[..at], &line[at + 2..]));
        let is_fact = facts.any(|(name, value)| {
            page.contains(&format!("{name} {value}")) || page.contains(name) && is_link(value)
        });
        let is_label = line.strip_suffix(':').is_some_and(|label| page.contains(label));
        assert!(is_fact || is_label || page.contains(&line), "{name}: {line}: {page}");
    }
    for said in mail.said.iter().filter(|said| said.contains(char::is_alphanumeric)) {
        assert!(text.contains(said), "{name}: {said}: {text}");
    }
}

/// Fails unless subject and words have the letters of their language, and of no other.
fn expect_spoken(Sent { name, row, mail, .. }: &Sent<'_>) {
    let is_hangul = |c: char| matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}');
    let is_kana = |c: char| matches!(c, '\u{3040}'..='\u{30fa}');
    let is_kanji = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}');
    let page = mail.said.join(" ");
    for part in [mail.header("Subject"), &mail.text, &page] {
        let has = [part.contains(is_hangul), part.contains(is_kana), part.contains(is_kanji)];
        let is_spoken = match row.locale.as_str() {
            "en" => has == [false; 3],
            "ko" => has == [true, false, false],
            "ja" => !has[0] && has[1],
            _ => false,
        };
        assert!(is_spoken, "{name}: {part}");
    }
    assert!(mail.html.contains(&format!("<html lang=\"{}\">", row.locale)), "{name}");
}

/// Fails where a mail says the same in English and in another language, but for what people typed.
pub(super) fn expect_translated(all: &[Sent<'_>]) {
    let key = |sent: &Sent<'_>| sent.told.map(std::ptr::from_ref::<Told>);
    let (english, others): (Vec<_>, Vec<_>) = all.iter().partition(|sent| sent.row.locale == "en");
    for other in others {
        let own = english.iter().find(|sent| key(sent) == key(other)).unwrap();
        let same = other.mail.said.iter().filter(|said| own.mail.said.contains(said));
        let untold = same.filter(|said| {
            let has_words = said.contains(char::is_lowercase);
            let is_address = said.starts_with(SITE) || said.ends_with("@example.com");
            has_words && !is_address && !TYPED.contains(&said.as_str())
        });
        assert_eq!(untold.collect::<Vec<_>>(), [""; 0], "{}", other.name);
    }
}
