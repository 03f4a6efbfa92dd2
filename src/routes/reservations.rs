//! Reservations and their payment, also by several people.

use super::{
    AccountError, BrokenRule, ExchangeError, KitError, PaymentError, ReservationError,
    ReturnRefusal, ShareError, TicketError, TicketKept, WalletError,
};
use crate::{
    payment::{
        self, Cancelled, Paid,
        exchange::{
            model::ExchangeBegun,
            pages::{self as exchanges, ExchangeDocument},
        },
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
        ExchangeId,
        lifecycle::pages::{
            RenewalDocument, ReservationDocument, list::ListDocument, payment::PaymentDocument,
        },
        pages,
    },
    web::{
        error::codes,
        page::Identified,
        path::{
            Path, at,
            operation::{changes, creates, page, shows},
        },
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
            .post(pages::update_renewal, changes::<RenewalDocument>("Prolongs a hold, once and only while no account waits in line.").refuses(codes![ReservationError::{NotRenewable, HoldExpired, InvalidState, AlreadyPaid}])),
        at("/reservations/{id}/payment").with_counted_refusals()
            .get(pages::show_payment, shows::<PaymentDocument>("Shows the price of a hold, and the points that the wallet lacks.").or_redirects().refuses(codes![ReservationError::{HoldExpired, AlreadyPaid, InvalidState}]))
            .post(payment::pages::create_payment, creates::<Paid>("Pays a hold with points, and issues its tickets.").refuses(codes![ReservationError::{InvalidState, HoldExpired, AlreadyPaid}, WalletError::InsufficientPoints, PaymentError::SharesWithheld, ReturnRefusal::{Gone, Closed}, KitError::{Contended, KeyReused, AlreadyProcessing}, AccountError::Deleted, ExchangeError::{NotOffered, Over, GivenAway}, TicketKept::{NotValid, OnSale, NotPayer, Offered}, BrokenRule::{CompanionAlone, TooFew, WithoutOrdinary, WithoutWheelchair}])),
        at("/reservations/{id}/cancellation")
            .post(payment::pages::create_cancellation, changes::<Cancelled>("Releases a hold, or gives back a paid reservation and refunds it by the terms of the show.").refuses(codes![ReservationError::InvalidState, PaymentError::RefundOver, BrokenRule::CompanionAlone, ReturnRefusal::AllSold, KitError::{Contended, KeyReused, AlreadyProcessing}, TicketError::{Used, HandedOver, Offered, Resold}])),
        at("/reservations/{id}/exchange")
            .get(exchanges::show_exchange, shows::<ExchangeDocument>("Shows what the tickets of a paid reservation are worth for other places of the show."))
            .post(exchanges::create_exchange, creates::<ExchangeBegun>("Begins an exchange: holds that the account makes in the show from then on are paid with these tickets, which stay what they are until then.").refuses(codes![ExchangeError::{NoTickets, NotOffered, Over, Held}, TicketKept::{NotValid, OnSale, NotPayer, Offered}, BrokenRule::{CompanionAlone, TooFew, WithoutOrdinary, WithoutWheelchair}, ReservationError::InvalidState, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/exchanges/{id}/cancellation")
            .post(exchanges::end_exchange, changes::<Identified<ExchangeId>>("Ends an exchange that is open; the tickets stay what they are.").refuses(codes![ExchangeError::PlacesOverMax, KitError::Contended])),
        at("/reservations/{id}/shares")
            .get(holder::show_shares, shows::<SharesDocument>("Shows the shares of a hold and their payers.").refuses(codes![ReservationError::{HoldExpired, InvalidState, AlreadyPaid}, ReturnRefusal::NotShareable]))
            .post(new::create_share, creates::<NewShareDocument>("Makes a share of some places, for a friend to pay.").refuses(codes![ShareError::{NoPlaces, PlaceTaken, NothingLeft, TooManyFriends, TooManyShares, AddressUnconfirmed, OfExchange}, ReturnRefusal::NotShareable, ReservationError::{HoldExpired, InvalidState, AlreadyPaid}, KitError::{KeyReused, AlreadyProcessing}])),
        at("/reservations/{id}/shares/new")
            .get(new::new_share, page("Asks which places a friend pays.").refuses(codes![ReservationError::{HoldExpired, InvalidState, AlreadyPaid}, ReturnRefusal::NotShareable])),
        at("/reservations/{id}/shares/{share_id}/cancellation")
            .post(holder::create_cancellation, changes::<TakenBackDocument>("Takes back a share that is not paid.").refuses(codes![ShareError::{Ended, Taken}, ReservationError::{HoldExpired, InvalidState, AlreadyPaid}, KitError::Contended])),
        at("/reservations/{id}/rest/payment").with_counted_refusals()
            .post(holder::create_rest_payment, creates::<SharePaid>("Pays the places that are in no share.").refuses(codes![WalletError::{InsufficientPoints, Frozen}, ShareError::NothingLeft, ReservationError::{HoldExpired, InvalidState, AlreadyPaid}, AccountError::Deleted, KitError::{Contended, KeyReused, AlreadyProcessing}, ReturnRefusal::{Closed, Gone}])),
        at("/shares/{code}")
            .get(link::show_share, shows::<LinkDocument<'_>>("Shows a share to a visitor with its link.")),
        at("/shares/{code}/payment").with_counted_refusals()
            .post(link::create_payment, creates::<SharePaid>("Pays a share. The points are withheld until all shares are paid.").refuses(codes![WalletError::{InsufficientPoints, Frozen}, ShareError::{OwnLink, Taken, Ended, HoldOver, AddressUnconfirmed}, AccountError::Deleted, KitError::{Contended, KeyReused, AlreadyProcessing}])),
        at("/shares/{code}/withdrawal")
            .post(link::create_withdrawal, changes::<WithdrawnDocument>("Takes back the account's payment of a share, while other shares are not paid.").refuses(codes![ShareError::{NotPaid, Ended, HoldOver}, KitError::Contended])),
    ]
}
