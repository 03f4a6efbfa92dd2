//! Reservations and their payment, also by several people.

use crate::{
    payment::{
        self, Cancelled, Paid,
        shares::{
            model::SharePaid,
            pages::{
                holder::{self, SharesDocument, TakenBackDocument},
                link::{self, LinkDocument, WithdrawnDocument},
                new::{self, NewShareDocument},
            },
        },
    },
    reservation::{
        lifecycle::pages::{
            RenewalDocument, ReservationDocument, list::ListDocument, payment::PaymentDocument,
        },
        pages,
    },
    web::{
        operation::{changes, creates, page, shows},
        path::{Path, at},
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/reservations")
            .get(pages::list_reservations, shows::<ListDocument>("Lists the account's reservations, the newest first.")),
        at("/reservations/{id}")
            .get(pages::show_reservation, shows::<ReservationDocument>("Shows a reservation with its items.")),
        at("/reservations/{id}/renewal")
            .post(pages::update_renewal, changes::<RenewalDocument>("Prolongs a hold, once and only while no account waits in line.").refuses("not-renewable hold-expired invalid-state already-paid")),
        at("/reservations/{id}/payment")
            .get(pages::show_payment, shows::<PaymentDocument>("Shows the price of a hold, and the points that the wallet lacks.").or_redirects().refuses("hold-expired already-paid invalid-state"))
            .post(payment::pages::create_payment, creates::<Paid>("Pays a hold with points, and issues its tickets.").refuses("invalid-state insufficient-points hold-expired already-paid shares-withheld return-gone contended account-deleted key-reused already-processing return-closed")),
        at("/reservations/{id}/cancellation")
            .post(payment::pages::create_cancellation, changes::<Cancelled>("Releases a hold, or gives back a paid reservation and refunds it by the terms of the show.").refuses("invalid-state refund-over leaves-companion-alone return-all-sold contended key-reused already-processing ticket-used ticket-handed-over ticket-offered ticket-resold")),
        at("/reservations/{id}/shares")
            .get(holder::show_shares, shows::<SharesDocument>("Shows the shares of a hold and their payers.").refuses("hold-expired invalid-state already-paid return-not-shared"))
            .post(new::create_share, creates::<NewShareDocument>("Makes a share of some places, for a friend to pay.").refuses("share-no-places share-place-taken share-nothing-left share-limit share-too-often share-unconfirmed return-not-shared hold-expired invalid-state already-paid key-reused already-processing")),
        at("/reservations/{id}/shares/new")
            .get(new::new_share, page("Asks which places a friend pays.").refuses("hold-expired invalid-state already-paid return-not-shared")),
        at("/reservations/{id}/shares/{share_id}/cancellation")
            .post(holder::create_cancellation, changes::<TakenBackDocument>("Takes back a share that is not paid.").refuses("share-ended share-taken hold-expired invalid-state contended already-paid")),
        at("/reservations/{id}/rest/payment")
            .post(holder::create_rest_payment, creates::<SharePaid>("Pays the places that are in no share.").refuses("insufficient-points points-frozen share-nothing-left hold-expired invalid-state already-paid account-deleted contended key-reused already-processing return-closed return-gone")),
        at("/shares/{code}")
            .get(link::show_share, shows::<LinkDocument<'_>>("Shows a share to a visitor with its link.")),
        at("/shares/{code}/payment")
            .post(link::create_payment, creates::<SharePaid>("Pays a share. The points are withheld until all shares are paid.").refuses("insufficient-points points-frozen share-own-link share-taken share-ended share-hold-over share-unconfirmed account-deleted contended key-reused already-processing")),
        at("/shares/{code}/withdrawal")
            .post(link::create_withdrawal, changes::<WithdrawnDocument>("Takes back the account's payment of a share, while other shares are not paid.").refuses("share-not-paid share-ended share-hold-over contended")),
    ]
}
