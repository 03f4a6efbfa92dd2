//! Accounts and reservations, as administrators see them.

use crate::{
    accounts::Profile,
    admin::{
        people::{
            Adjusted, DebtLeft,
            pages::{self, PeopleDocument, PersonDocument, adjustments, debts, second_factor},
        },
        reservations::pages::{self as reservations, BookingDocument, BookingsDocument},
    },
    payment::Cancelled,
    web::{
        operation::{changes, shows},
        path::{Path, at},
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
            .post(pages::create_lock, changes::<Profile>("Locks an account out, and ends its sessions.").refuses("changed-meanwhile own-account account-deleted")),
        at("/admin/people/{id}/unlock")
            .post(pages::delete_lock, changes::<Profile>("Lets an account log in again.").refuses("own-account changed-meanwhile account-deleted")),
        at("/admin/people/{id}/role")
            .post(pages::update_role, changes::<Profile>("Changes the role of an account.").refuses("code-required changed-meanwhile own-account account-deleted")),
        at("/admin/people/{id}/second-factor/removal")
            .post(second_factor::delete_factor, changes::<Profile>("Removes the second factor of a person who lost it.").refuses("second-factor-missing code-required own-account account-deleted")),
        at("/admin/people/{id}/adjustments")
            .post(adjustments::create_adjustment, changes::<Adjusted>("Adds points to a wallet or takes them off.").refuses("code-required insufficient-points wallet-full contended account-deleted key-reused already-processing")),
        at("/admin/people/{id}/debt-write-offs")
            .post(debts::create_write_off, changes::<DebtLeft>("Writes off a debt.").refuses("debt-smaller code-required contended account-deleted key-reused already-processing")),
        at("/admin/reservations")
            .get(reservations::list_bookings, shows::<BookingsDocument<'_>>("Finds reservations by number, name or address.")),
        at("/admin/reservations/{id}")
            .get(reservations::show_booking, shows::<BookingDocument<'_>>("Shows a reservation with its items.")),
        at("/admin/reservations/{id}/refund")
            .post(reservations::create_refund, changes::<Cancelled>("Cancels a reservation, and refunds all of it or the agreed share.").refuses("refund-over invalid-state leaves-companion-alone return-all-sold code-required contended key-reused already-processing ticket-used ticket-handed-over ticket-offered ticket-resold")),
    ]
}
