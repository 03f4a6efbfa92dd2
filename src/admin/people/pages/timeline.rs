//! Moments of an account's timeline, localized.

use crate::{
    admin::people::store::AccountEvent, audit::model::ACT_KEY, text::i18n::Phrase, wallet::Kind,
    web::page::View,
};

/// Moment as the page shows it.
pub(crate) struct TimelineEntry {
    pub(crate) moment: AccountEvent,
    pub(crate) text: Phrase,
    /// Page with more about the moment; `None` if there is none.
    pub(crate) href: Option<String>,
}

impl TimelineEntry {
    pub(crate) fn of(v: &View, moment: AccountEvent) -> Self {
        let reference = moment.reference.as_deref().unwrap_or_default();
        let (key, href) = match moment.what.as_str() {
            "joined" => ("admin-moment-joined", Some(line(reference))),
            "admitted" => ("admin-moment-admitted", Some(line(reference))),
            "left-completed" => ("admin-moment-completed", Some(line(reference))),
            "left-expired" => ("admin-moment-stay-over", Some(line(reference))),
            "left-cancelled" => ("admin-moment-left", Some(line(reference))),
            "held" => ("admin-moment-held", Some(booking(reference))),
            "ended-confirmed" => ("admin-moment-paid", Some(booking(reference))),
            "ended-cancelled" => ("admin-moment-released", Some(booking(reference))),
            "ended-expired" => ("admin-moment-expired", Some(booking(reference))),
            "ended-refunded" => ("admin-moment-refunded", Some(booking(reference))),
            "let-in" => ("admin-moment-let-in", None),
            "points" => ("admin-moment-points", None),
            _ => ("admin-moment-act", None),
        };
        let subject = match moment.what.as_str() {
            "points" => kind(v, &moment.subject),
            "act" => v.text(format!("{ACT_KEY}{}", moment.subject)).to_string(),
            _ => moment.subject.clone(),
        };
        let amount = moment.amount.map(|amount| v.number(amount)).unwrap_or_default();
        let text = v.t(key).word("subject", subject).word("amount", amount);
        Self { moment, text, href }
    }
}

fn line(program_id: &str) -> String {
    format!("/admin/programs/{program_id}/queue")
}

fn booking(id: &str) -> String {
    format!("/admin/reservations/{id}")
}

/// Returns the localized name of a kind of points; unknown ones as they are.
fn kind(v: &View, name: &str) -> String {
    let known = name.parse::<Kind>();
    known.map_or_else(|_| name.to_owned(), |kind| v.t(kind.text_key()).to_string())
}
