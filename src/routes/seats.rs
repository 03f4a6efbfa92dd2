//! Performances: the seat map, holds and waiting lists.

use super::{
    CodeRefusal, KitError, PriceTypeError, QueueError, ReservationError, ReturnRefusal,
    WaitingListError,
};
use crate::{
    reservation::{
        codes::pages::TermsDocument,
        model::Hold,
        pages,
        seat_map::{delta::Delta, pages::price_types::TypesDocument, snapshot::MapDocument},
        waiting_list::{
            model::Wished,
            pages::{self as waiting_list, LeftDocument, WaitingListDocument},
        },
    },
    web::{
        error::codes,
        path::{
            Path, at,
            operation::{changes, creates, gives, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/schedules/{id}")
            .get(pages::show_seat_map, shows::<MapDocument<'_>>("Shows the seat map of a performance to an admitted account.").refuses(codes![QueueError::{NotAdmitted, SaleClosed}])),
        at("/schedules/{id}/changes")
            .get(pages::show_changes, gives::<Delta>("Returns the changes of the map since a cursor, once or as a stream of events.").or_file("text/event-stream").refuses(codes![QueueError::{NotAdmitted, SaleClosed}, KitError::TooOften])),
        at("/schedules/{id}/price-types")
            .get(pages::show_price_types, shows::<TypesDocument<'_>>("Lists the price types that places can have.").refuses(codes![QueueError::{NotAdmitted, SaleClosed}])),
        at("/schedules/{id}/code").with_counted_refusals()
            .post(pages::show_terms, changes::<TermsDocument>("Returns the discount of a code on an order.").or_page(200).refuses(codes![QueueError::{NotAdmitted, SaleClosed}, CodeRefusal::{Unknown, NotYet, Over, UsedUp, UsedByAccount, Elsewhere}])),
        at("/schedules/{id}/reservations").with_counted_refusals()
            .post(pages::create_hold, creates::<Hold>("Holds seats or places until `expires_at`: named seats, a number of places of a zone, or the best that are free together.").refuses(codes![QueueError::{NotAdmitted, SaleClosed, CoolingDown}, ReservationError::{SeatUnavailable, SoldOut, LeavesSingle, CompanionAlone, PlacesKept, TooMany, TooFew, AccountLimit, Waiting}, PriceTypeError::{Changed, Gone, WrongPlace, OnReturn, TooMany, WithoutOrdinary, WithoutWheelchair}, CodeRefusal::{Unknown, NotYet, Over, UsedUp, FewPlaces, OnReturn, UsedByAccount, Elsewhere}, ReturnRefusal::Own, KitError::{KeyReused, AlreadyProcessing}])),
        at("/schedules/{id}/waiting-list")
            .get(waiting_list::show_waiting_list, shows::<WaitingListDocument<'_>>("Shows the waiting list of a performance, and the account's place in it.").refuses(codes![WaitingListError::NotOpen, QueueError::SaleClosed]))
            .post(waiting_list::create_wish, creates::<Wished>("Waits for places that become free.").refuses(codes![WaitingListError::{NotOpen, WishedAlready, PlacesFree, Full, UnknownSection, MoreThanExist}, QueueError::SaleClosed, ReservationError::{TooMany, AccountLimit}, KitError::{KeyReused, AlreadyProcessing}])),
        at("/wishes/{id}/cancellation")
            .post(waiting_list::cancel_wish, changes::<LeftDocument>("Leaves a waiting list.").refuses(codes![WaitingListError::{Offered, Over}, KitError::AlreadyProcessing])),
    ]
}
