//! Performances: the seat map, holds and waiting lists.

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
        operation::{changes, creates, gives, shows},
        path::{Path, at},
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/schedules/{id}")
            .get(pages::show_seat_map, shows::<MapDocument<'_>>("Shows the seat map of a performance to an admitted account.").refuses("not-admitted sale-closed")),
        at("/schedules/{id}/changes")
            .get(pages::show_changes, gives::<Delta>("Returns the changes of the map since a cursor, once or as a stream of events.").or_file("text/event-stream").refuses("not-admitted rate-limited sale-closed")),
        at("/schedules/{id}/price-types")
            .get(pages::show_price_types, shows::<TypesDocument<'_>>("Lists the price types that places can have.").refuses("not-admitted sale-closed")),
        at("/schedules/{id}/code")
            .post(pages::show_terms, changes::<TermsDocument>("Returns the discount of a code on an order.").or_page(200).refuses("not-admitted code-unknown code-not-yet code-over code-used-up code-used code-elsewhere sale-closed")),
        at("/schedules/{id}/reservations")
            .post(pages::create_hold, creates::<Hold>("Holds seats or places until `expires_at`: named seats, a number of places of a zone, or the best that are free together.").refuses("not-admitted sale-closed seat-unavailable sold-out single-seat companion-alone places-kept too-many too-few account-limit price-changed price-type-gone price-type-elsewhere price-type-on-return price-type-limit price-type-without-ordinary price-type-without-wheelchair code-unknown code-not-yet code-over code-used-up code-places code-on-return code-used code-elsewhere return-own waiting cool-down key-reused already-processing")),
        at("/schedules/{id}/waiting-list")
            .get(waiting_list::show_waiting_list, shows::<WaitingListDocument<'_>>("Shows the waiting list of a performance, and the account's place in it.").refuses("waiting-list-not-open sale-closed"))
            .post(waiting_list::create_wish, creates::<Wished>("Waits for places that become free.").refuses("waiting-list-not-open sale-closed wished-already places-free waiting-list-full unknown-section more-than-exist too-many account-limit key-reused already-processing")),
        at("/wishes/{id}/cancellation")
            .post(waiting_list::cancel_wish, changes::<LeftDocument>("Leaves a waiting list.").refuses("wish-offered wish-ended already-processing")),
    ]
}
