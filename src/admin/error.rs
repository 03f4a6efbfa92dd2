//! Errors of the admin pages.

use super::{
    letters::model::OfficeLetterId,
    questions::{OpeningQuestion, ZoneQuestion},
};
use crate::{
    accounts::{AccountError, api_keys::KEYS_MAX},
    audit::model::Meanwhile,
    catalog::CatalogError,
    entry_queue::QueueError,
    infra::{idempotency::KeyError, pictures::PictureMistake},
    outbox::MailId,
    payment::{PaymentError, ticket_refund::error::TicketRefundError},
    reservation::{InventoryError, ReservationError, codes::error::CodeEditError},
    wallet::WalletError,
    web::error::{KitError, problems},
    webhooks::error::WebhookError,
};

problems! {
    /// Refusal or failure of an administrator's action.
    pub enum AdminError {
        NotFound => KitError::NotFound,
        /// The edition was changed after it was shown; the changes, newest first.
        ChangedMeanwhile(meanwhile: Vec<Meanwhile>)
            => KitError::ChangedMeanwhile.problem().member("meanwhile", meanwhile),
        /// The mail is waiting, or was sent.
        MailNotFailed(id: MailId) = 409 "mail-not-failed".recovery(format!("/admin/mails/{id}")),
        /// The letter is not a draft any more, or was stopped.
        LetterSettled(id: OfficeLetterId) = 409 "letter-settled".recovery(format!("/admin/letters/{id}")),
        TooManyKeys = 409 "too-many-keys".recovery("/admin/api-keys").number("count", KEYS_MAX),
        /// The venue's time zone changes performances, and the form does not say how.
        ZoneAsked(asked: ZoneQuestion) = 409 "zone-moves-performances" { performances: asked.named }
            .number("count", asked.count).number("tickets", asked.tickets),
        /// The plan draws seats elsewhere that people have, and the form does not say what it means.
        SeatsMoveAsked(count: i64) = 409 "plan-moves-seats".number("count", count),
        /// The setback was ended before, or is not one of this database.
        SetbackEnded = 409 "setback-ended".recovery("/admin/setbacks"),
        /// The clock of the program is stopped.
        ClockStopped = 409 "clock-stopped",
        /// The clock of the program runs.
        ClockRuns = 409 "clock-runs",
        /// The first venue has another clock than the office, and the form does not say which part of the
        /// opening stays.
        OpeningAsked(asked: OpeningQuestion) = 409 "opening-clock"
            .moment("typed", asked.opens_at, &asked.from)
            .moment("hour", asked.opens_at_if_hour_stays, &asked.to)
            .moment("moment", asked.opens_at, &asked.to),
    }
    // Other features lead to a customer's own pages, where an administrator has no business.
    wraps {
        Queue(#[from] QueueError).no_recovery(), Payment(#[from] PaymentError).no_recovery(),
        TicketRefund(#[from] TicketRefundError).no_recovery(), Wallet(#[from] WalletError).no_recovery(),
        Reservation(#[from] ReservationError).no_recovery(),
        Account(#[from] AccountError).no_recovery(), Catalog(#[from] CatalogError),
        Inventory(#[from] InventoryError), Code(#[from] CodeEditError),
        Webhook(#[from] WebhookError), Picture(#[from] PictureMistake), Key(#[from] KeyError),
        Database(#[from] sqlx::Error),
    }
    retried() or Self::Payment(PaymentError::Contended)
}
