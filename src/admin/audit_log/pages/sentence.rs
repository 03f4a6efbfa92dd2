//! Sentences about acts, with the names in them as links.

use crate::{
    audit::model::{ACT_KEY, LogLine, Subject},
    reservation::{ReservationId, ReservationNumber},
    text::{i18n::Phrase, times},
    web::page::View,
};

/// Part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentencePart {
    pub text: String,
    /// Page of the thing that the part names; `None` for words and for things without a page.
    pub href: Option<String>,
}

/// Characters that stand for the names while a sentence is put together: no text has a noncharacter.
const WHO: char = '\u{fdd0}';
const WHAT: char = '\u{fdd1}';

/// Returns the sentence about an act. Its names lead to the pages of the author and of the subject.
pub(crate) fn of(v: &View, line: &LogLine) -> Vec<SentencePart> {
    let href = Some(format!("/admin/people/{}", line.account_id));
    let who = SentencePart { text: line.who.clone(), href };
    let sentence = v.text(format!("{ACT_KEY}{}", line.act)).word("who", WHO).word("what", WHAT);
    split(&sentence, &who, &subject(v, line))
}

/// Splits a sentence where its names belong.
fn split(sentence: &Phrase, who: &SentencePart, what: &SentencePart) -> Vec<SentencePart> {
    let text = sentence.to_string();
    let pieces = text.split_inclusive([WHO, WHAT]).flat_map(|piece| {
        let words = piece.trim_end_matches([WHO, WHAT]);
        let name = match piece.chars().next_back() {
            Some(WHO) => Some(who.clone()),
            Some(WHAT) => Some(what.clone()),
            _ => None,
        };
        [Some(SentencePart { text: words.to_owned(), href: None }), name].into_iter().flatten()
    });
    pieces.filter(|part| !part.text.is_empty()).collect()
}

/// Returns the name of the subject of the act: as it is called today, else as it was called when it
/// was deleted, else what it was.
pub(crate) fn subject(v: &View, line: &LogLine) -> SentencePart {
    let named = |text: String, href: String| SentencePart { text, href: Some(href) };
    let id = &line.subject_id;
    match (line.subject_kind.parse(), &line.subject_name) {
        (Ok(Subject::Program), Some(title)) => {
            named(title.clone(), format!("/admin/programs/{id}"))
        }
        (Ok(Subject::Account), Some(name)) => named(name.clone(), format!("/admin/people/{id}")),
        (Ok(Subject::Venue), Some(name)) => named(name.clone(), format!("/admin/venues/{id}")),
        (Ok(Subject::Mail), Some(recipient)) => {
            named(recipient.clone(), format!("/admin/mails/{id}"))
        }
        (Ok(Subject::Webhook), Some(name)) => named(name.clone(), format!("/admin/webhooks/{id}")),
        (Ok(Subject::ApiKey), Some(name)) => named(name.clone(), "/admin/api-keys".to_owned()),
        (Ok(Subject::Schedule), Some(title)) => {
            let zone = line.time_zone.as_deref().unwrap_or(times::home().name());
            let when = line.starts_at.map(|starts_at| v.moment(&starts_at, zone));
            let text = v.t("admin-named-schedule").word("title", title);
            let text = text.word("when", when.unwrap_or_default()).to_string();
            named(text, format!("/admin/schedules/{id}"))
        }
        (Ok(Subject::Reservation), Some(title)) => {
            let number = id.parse().map(|id| ReservationNumber::from(ReservationId(id)));
            let number = number.map(|number| number.to_string()).unwrap_or_default();
            let text = v.t("admin-named-reservation").word("number", number).word("title", title);
            named(text.to_string(), format!("/admin/reservations/{id}"))
        }
        (Ok(Subject::Ticket), Some(title)) => {
            let code = line.ticket_code.as_deref().unwrap_or_default();
            let text = v.t("admin-named-ticket").word("code", code).word("title", title);
            let page = line.reservation_id.map(|id| format!("/admin/reservations/{id}"));
            SentencePart { text: text.to_string(), href: page }
        }
        (Ok(Subject::Office), _) => {
            named(v.t("admin-named-office").to_string(), "/admin/office".to_owned())
        }
        (kind, _) => SentencePart { text: gone(v, kind.ok(), line), href: None },
    }
}

/// Returns the name of a subject that was deleted.
fn gone(v: &View, kind: Option<Subject>, line: &LogLine) -> String {
    let told = [line.before.as_ref(), line.after.as_ref()].into_iter().flatten();
    let mut names = told.filter_map(|document| {
        let name = ["title", "name", "description"].map(|field| document.get(field));
        name.into_iter().flatten().find_map(|name| name.as_str().filter(|name| !name.is_empty()))
    });
    match names.next() {
        Some(name) => v.t("admin-named-gone").word("name", name).to_string(),
        None => v.t(gone_key(kind)).to_string(),
    }
}

/// Returns the locale key of a deleted thing of a kind.
fn gone_key(kind: Option<Subject>) -> &'static str {
    match kind {
        Some(Subject::Venue) => "admin-gone-venue",
        Some(Subject::Schedule) => "admin-gone-schedule",
        Some(Subject::Mail) => "admin-gone-mail",
        Some(Subject::Webhook) => "admin-gone-webhook",
        _ => "admin-gone-other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::i18n::Locale;

    #[test]
    fn names_stand_where_each_language_has_them() {
        let part = |text: &str, href: Option<&str>| SentencePart {
            text: text.to_owned(),
            href: href.map(str::to_owned),
        };
        let (who, what) = (part("Mina", Some("/m")), part("Hamlet", Some("/h")));
        let told = |tag: &str| {
            let locale = Locale::parse(tag).unwrap();
            let sentence =
                locale.text("admin-act-queue-paused").word("who", WHO).word("what", WHAT);
            split(&sentence, &who, &what)
        };
        let english = [who.clone(), part(" paused the line of ", None), what.clone()];
        assert_eq!(told("en"), english);
        for tag in ["ko", "ja"] {
            let told = told(tag);
            assert!(told.contains(&who) && told.contains(&what), "{told:?}");
            assert!(told.last().unwrap().href.is_none(), "the verb comes last: {told:?}");
        }
    }
}
