//! Accounts and reservations, as administrators see them.

use super::{
    AccountError, BrokenRule, ExchangeError, KitError, PaymentError, QueueError, ReservationError,
    ReturnRefusal, TicketError, TicketKept, WalletError,
};
use crate::{
    accounts::Profile,
    admin::{
        people::{
            Adjusted, DebtLeft,
            pages::{self, PeopleDocument, PersonDocument, adjustments, debts, second_factor},
        },
        reservations::{
            exchange::{
                Exchanged,
                pages::{self as exchange, StaffExchangeDocument},
            },
            pages::{self as reservations, BookingDocument, BookingsDocument, Mailed},
        },
    },
    payment::Cancelled,
    web::{
        error::codes,
        path::{
            Path, at,
            operation::{changes, creates, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/admin/people")
            .get(pages::list_people, shows::<PeopleDocument<'_>>("Finds accounts by name or address.")),
        at("/admin/people/{id}")
            .get(pages::show_person, shows::<PersonDocument<'_>>("Shows an account with its history.")),
        at("/admin/people/{id}/lock")
            .post(pages::create_lock, changes::<Profile>("Locks an account out, and ends its sessions.").refuses(codes![KitError::ChangedMeanwhile, AccountError::{OwnAccount, Deleted}])),
        at("/admin/people/{id}/unlock")
            .post(pages::delete_lock, changes::<Profile>("Lets an account log in again.").refuses(codes![AccountError::{OwnAccount, Deleted}, KitError::ChangedMeanwhile])),
        at("/admin/people/{id}/role")
            .post(pages::update_role, changes::<Profile>("Changes the role of an account.").refuses(codes![AccountError::{CodeRequired, OwnAccount, Deleted}, KitError::ChangedMeanwhile])),
        at("/admin/people/{id}/second-factor/removal")
            .post(second_factor::delete_factor, changes::<Profile>("Removes the second factor of a person who lost it.").refuses(codes![AccountError::{SecondFactorMissing, CodeRequired, OwnAccount, Deleted}])),
        at("/admin/people/{id}/adjustments")
            .post(adjustments::create_adjustment, changes::<Adjusted>("Adds points to a wallet or takes them off.").refuses(codes![AccountError::{CodeRequired, Deleted}, WalletError::{InsufficientPoints, TooManyPoints}, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/admin/people/{id}/debt-write-offs")
            .post(debts::create_write_off, changes::<DebtLeft>("Writes off a debt.").refuses(codes![WalletError::DebtSmaller, AccountError::{CodeRequired, Deleted}, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/admin/reservations")
            .get(reservations::list_bookings, shows::<BookingsDocument<'_>>("Finds reservations by number, name or address.")),
        at("/admin/reservations/{id}")
            .get(reservations::show_booking, shows::<BookingDocument<'_>>("Shows a reservation with its items.")),
        at("/admin/reservations/{id}/refund")
            .post(reservations::create_refund, changes::<Cancelled>("Cancels a reservation or gives back single tickets of it, and refunds all of what was paid or the agreed share.").refuses(codes![PaymentError::RefundOver, TicketKept::{NotValid, OnSale, NotPayer, Offered}, ReservationError::InvalidState, BrokenRule::{CompanionAlone, TooFew, WithoutOrdinary, WithoutWheelchair}, ReturnRefusal::AllSold, AccountError::CodeRequired, KitError::{Contended, KeyReused, AlreadyProcessing}, TicketError::{Used, HandedOver, Offered, Resold}])),
        at("/admin/reservations/{id}/exchange")
            .get(exchange::show_exchange, shows::<StaffExchangeDocument<'_>>("Shows which tickets of a reservation can be exchanged, and the dates of its show."))
            .post(exchange::create_exchange, creates::<Exchanged>("Exchanges tickets of a reservation for the best other places of its show that fit, whatever the show asks of an exchange: the account's wallet pays the difference, or gets it.").refuses(codes![ExchangeError::{NoTickets, Held}, TicketKept::{NotValid, OnSale, NotPayer, Offered}, BrokenRule::{CompanionAlone, TooFew, WithoutOrdinary, WithoutWheelchair}, ReservationError::{SoldOut, AccountLimit, InvalidState}, QueueError::SaleClosed, WalletError::InsufficientPoints, AccountError::Deleted, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/admin/reservations/{id}/mail")
            .post(reservations::create_mail, changes::<Mailed>("Mails the valid tickets of a reservation to the accounts that hold them once more, once in each ten minutes of the clock.").answers::<Mailed>(202).refuses(codes![TicketError::{MailedLately, NoneValid}])),
    ]
}
