//! Moments of an account's timeline, localized.

use crate::{
    admin::people::store::AccountEvent, audit::model::ACT_KEY, text::i18n::Phrase, wallet::Kind,
    web::page::View,
};

/// Moment as the page shows it.
pub(crate) struct TimelineEntry {
    pub moment: AccountEvent,
    pub text: Phrase,
    /// Page with more about the moment; `None` if there is none.
    pub href: Option<String>,
}

impl TimelineEntry {
    /// Returns a moment of the account of `name` as a sentence.
    pub(crate) fn of(v: &View, name: &str, moment: AccountEvent) -> Self {
        let reference = moment.reference.as_deref().unwrap_or_default();
        let (key, href) = match moment.what.as_str() {
            "joined" => ("admin-moment-joined", Some(queue_href(reference))),
            "admitted" => ("admin-moment-admitted", Some(queue_href(reference))),
            "left-completed" => ("admin-moment-completed", Some(queue_href(reference))),
            "left-expired" => ("admin-moment-stay-over", Some(queue_href(reference))),
            "left-cancelled" => ("admin-moment-left", Some(queue_href(reference))),
            "held" => ("admin-moment-held", Some(reservation_href(reference))),
            "ended-confirmed" => ("admin-moment-paid", Some(reservation_href(reference))),
            "ended-cancelled" => ("admin-moment-released", Some(reservation_href(reference))),
            "ended-expired" => ("admin-moment-expired", Some(reservation_href(reference))),
            "ended-refunded" => ("admin-moment-refunded", Some(reservation_href(reference))),
            "let-in" => ("admin-moment-let-in", None),
            "points" => ("admin-moment-points", None),
            _ => return Self::act(v, name, moment),
        };
        let subject = match moment.what.as_str() {
            "points" => kind(v, &moment.subject),
            _ => moment.subject.clone(),
        };
        let is_price = matches!(key, "admin-moment-held" | "admin-moment-paid");
        let amount = |amount| if is_price { v.price(amount) } else { v.number(amount) };
        let amount = moment.amount.map(amount).unwrap_or_default();
        let text = v.t(key).word("subject", subject).word("amount", amount);
        Self { moment, text, href }
    }

    /// Returns an act on the account of `name` as a sentence.
    fn act(v: &View, name: &str, moment: AccountEvent) -> Self {
        let who = moment.who.as_deref().unwrap_or_default();
        let text = v.text(format!("{ACT_KEY}{}", moment.subject)).word("who", who);
        Self { text: text.word("what", name), moment, href: None }
    }
}

fn queue_href(program_id: &str) -> String {
    format!("/admin/programs/{program_id}/queue")
}

fn reservation_href(id: &str) -> String {
    format!("/admin/reservations/{id}")
}

/// Returns the localized name of a kind of points; unknown ones as they are.
fn kind(v: &View, name: &str) -> String {
    let known = name.parse::<Kind>();
    known.map_or_else(|_| name.to_owned(), |kind| v.t(kind.text_key()).to_string())
}
