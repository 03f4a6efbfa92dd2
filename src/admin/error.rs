//! Errors of the admin pages.

use serde_json::json;

use super::questions::{OpeningQuestion, ZoneQuestion};
use crate::{
    accounts::{AccountError, api_keys::KEYS_MAX},
    audit::model::Meanwhile,
    catalog::CatalogError,
    entry_queue::QueueError,
    infra::{
        idempotency::KeyError,
        pictures::{MEGAPIXELS_MAX, PictureMistake},
        postgres::{Contention, is_conflict},
    },
    outbox::MailId,
    payment::PaymentError,
    reservation::{InventoryError, ReservationError, codes::error::CodeEditError},
    text::i18n::grouped,
    wallet::WalletError,
    web::error::{HttpError, Problem},
    webhooks::error::WebhookError,
};

/// Refusal or failure of an administrator's action. The texts are for logs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AdminError {
    /// No such subject.
    #[error("there is none")]
    NotFound,
    /// The edition was changed after it was shown; the changes, newest first.
    #[error("it was changed meanwhile")]
    ChangedMeanwhile(Vec<Meanwhile>),
    /// The mail is waiting, or was sent.
    #[error("mail {0} was not given up")]
    MailNotFailed(MailId),
    /// There are as many API keys as may be.
    #[error("there are {KEYS_MAX} keys already")]
    TooManyKeys,
    /// The venue's time zone changes performances, and nobody said how.
    #[error("the time zone changes {} performances", .0.count)]
    ZoneAsked(ZoneQuestion),
    /// The first venue has another clock than the office, and nobody said what stays of the opening.
    #[error("the opening was typed on the clock of {}", .0.from)]
    OpeningAsked(OpeningQuestion),
    /// The catalog refused.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Held or sold seats or places prevent the change.
    #[error(transparent)]
    Inventory(#[from] InventoryError),
    /// The queue refused.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The refund was refused.
    #[error(transparent)]
    Payment(#[from] PaymentError),
    /// The wallet refused.
    #[error(transparent)]
    Wallet(#[from] WalletError),
    /// The reservation refused.
    #[error(transparent)]
    Reservation(#[from] ReservationError),
    /// The change of codes was refused.
    #[error(transparent)]
    Code(#[from] CodeEditError),
    /// The account operation was refused.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The change of a webhook was refused.
    #[error(transparent)]
    Webhook(#[from] WebhookError),
    /// The file is no picture that may be used.
    #[error(transparent)]
    Picture(#[from] PictureMistake),
    /// The request key is in use, or was used for another request.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// PostgreSQL failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl Contention for AdminError {
    fn is_stale(&self) -> bool {
        match self {
            Self::Payment(error) => error.is_stale(),
            Self::Wallet(error) => error.is_stale(),
            // A stale edition stays stale, so retrying cannot help; only database conflicts are
            // retried.
            Self::Key(KeyError::Database(error))
            | Self::Catalog(CatalogError::Database(error))
            | Self::Inventory(InventoryError::Database(error))
            | Self::Database(error) => is_conflict(error),
            Self::Reservation(error) => error.is_stale(),
            Self::Code(error) => error.is_conflict(),
            _ => false,
        }
    }

    fn contended() -> Self {
        Self::Payment(PaymentError::contended())
    }
}

impl HttpError for AdminError {
    fn problem(&self) -> Problem {
        let mut problem = match self {
            Self::NotFound => Problem::new(404, "not-found"),
            Self::ChangedMeanwhile(meanwhile) => {
                Problem::new(409, "changed-meanwhile").with(json!({ "meanwhile": meanwhile }))
            }
            Self::MailNotFailed(id) => {
                let href = format!("/admin/mails/{id}");
                return Problem::new(409, "mail-not-failed").recovery(href);
            }
            Self::Webhook(error) => return error.problem(),
            Self::TooManyKeys => {
                let problem = Problem::new(409, "too-many-keys").number("count", KEYS_MAX);
                return problem.recovery("/admin/api-keys");
            }
            Self::ZoneAsked(ZoneQuestion { count, tickets, named, .. }) => {
                Problem::new(409, "zone-moves-performances")
                    .with(json!({ "performances": named }))
                    .number("count", count)
                    .number("tickets", tickets)
            }
            Self::OpeningAsked(asked) => {
                let OpeningQuestion { opens_at, opens_at_if_hour_stays, from, to } = asked;
                Problem::new(409, "opening-clock")
                    .moment("typed", *opens_at, from)
                    .moment("hour", *opens_at_if_hour_stays, to)
                    .moment("moment", *opens_at, to)
            }
            Self::Catalog(error) => error.problem(),
            Self::Inventory(error) => error.problem(),
            Self::Queue(error) => error.problem(),
            Self::Payment(error) => error.problem(),
            Self::Wallet(error) => error.problem(),
            Self::Reservation(error) => error.problem(),
            Self::Code(error) => error.problem(),
            Self::Account(error) => error.problem(),
            Self::Picture(PictureMistake::TooLarge(bounds)) => {
                Problem::new(422, "picture-too-large")
                    .word("megabytes", bounds.file_mib)
                    .word("pixels", grouped(bounds.side))
                    .word("millions", MEGAPIXELS_MAX)
            }
            Self::Picture(PictureMistake::Unreadable) => Problem::new(422, "picture-unreadable"),
            Self::Picture(PictureMistake::Busy) => PaymentError::contended().problem(),
            Self::Key(error) => error.problem(),
            Self::Database(error) => error.problem(),
        };
        // The features lead to a customer's own pages, where an administrator has no business.
        problem.recovery_href = None;
        problem
    }
}
