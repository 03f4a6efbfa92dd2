//! Letters about an account.
//!
//! None of them contains a typed name: a person who signs up with the address of another could send
//! a text to it that way.

use super::content::{Content, WIPED};
use crate::outbox::{MailSecret, Message, ProtectionChange};

const SECS_A_MINUTE: u64 = 60;

/// Returns the address of a page that takes a secret.
fn link(site: &str, path: &str, secret: Option<&MailSecret>) -> String {
    format!("{site}{path}?token={}", secret.map_or(WIPED, MailSecret::expose))
}

pub(super) fn reset_password(blank: Content, secret: Option<&MailSecret>) -> Content {
    let (locale, mins) = (blank.locale, Message::ResetPassword.ttl().as_secs() / SECS_A_MINUTE);
    Content {
        subject: locale.text("mail-reset-subject").to_string(),
        paragraphs: vec![blank.naming("mail-reset-lede").number("count", mins)],
        action: Some((
            link(&blank.site, "/password/reset", secret),
            locale.text("mail-reset-action"),
        )),
        notes: vec![locale.text("mail-reset-note")],
        ..blank
    }
}

pub(super) fn confirm_address(blank: Content, secret: Option<&MailSecret>) -> Content {
    let locale = blank.locale;
    Content {
        subject: locale.text("mail-confirm-subject").to_string(),
        paragraphs: vec![locale.text("mail-confirm-lede")],
        action: Some((
            link(&blank.site, "/address/confirmation", secret),
            locale.text("mail-confirm-action"),
        )),
        notes: vec![blank.naming("mail-confirm-note")],
        ..blank
    }
}

pub(super) fn password_changed(blank: Content) -> Content {
    let locale = blank.locale;
    Content {
        subject: locale.text("mail-password-subject").to_string(),
        paragraphs: vec![blank.naming("mail-password-lede")],
        action: Some((
            format!("{}/password/forgotten", blank.site),
            locale.text("mail-password-action"),
        )),
        ..blank
    }
}

pub(super) fn keys_ended(blank: Content, keys: usize) -> Content {
    let locale = blank.locale;
    Content {
        subject: locale.text("mail-keys-subject").to_string(),
        paragraphs: vec![blank.naming("mail-keys-lede").number("count", keys)],
        action: Some((format!("{}/admin/api-keys", blank.site), locale.text("mail-keys-action"))),
        ..blank
    }
}

pub(super) fn address_change_asked(blank: Content, to: &str) -> Content {
    let locale = blank.locale;
    Content {
        subject: locale.text("mail-change-subject").to_string(),
        paragraphs: vec![blank.naming("mail-change-lede").word("address", to)],
        action: Some((
            format!("{}/password/forgotten", blank.site),
            locale.text("mail-password-action"),
        )),
        ..blank
    }
}

pub(super) fn address_changed(blank: Content, to: &str) -> Content {
    let locale = blank.locale;
    Content {
        subject: locale.text("mail-changed-subject").to_string(),
        paragraphs: vec![blank.naming("mail-changed-lede").word("address", to)],
        notes: vec![locale.text("mail-changed-note")],
        ..blank
    }
}

pub(super) fn deleted(blank: Content) -> Content {
    let locale = blank.locale;
    Content {
        subject: locale.text("mail-deleted-subject").to_string(),
        paragraphs: vec![blank.naming("mail-deleted-lede"), locale.text("mail-deleted-kept")],
        notes: vec![locale.text("mail-deleted-note")],
        ..blank
    }
}

pub(super) fn protection_changed(blank: Content, change: ProtectionChange) -> Content {
    let locale = blank.locale;
    let lede = match change {
        ProtectionChange::Set => "mail-protection-set",
        ProtectionChange::Removed => "mail-protection-removed",
        ProtectionChange::CodesRenewed => "mail-protection-codes",
        ProtectionChange::RecoveryCodeUsed => "mail-protection-used",
    };
    Content {
        subject: locale.text("mail-protection-subject").to_string(),
        paragraphs: vec![blank.naming(lede)],
        action: Some((
            format!("{}/password/forgotten", blank.site),
            locale.text("mail-password-action"),
        )),
        notes: vec![locale.text("mail-protection-note")],
        ..blank
    }
}
