//! The door.

use super::TicketError;
use crate::{
    tickets::check_in::{
        model::CheckIn,
        pages::{
            self, DoorDocument, EveningsDocument, UndoneDocument,
            guests::{self, GuestSearchDocument, GuestsDocument},
        },
    },
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
        at("/door")
            .get(pages::list_evenings, shows::<EveningsDocument<'_>>("Lists the performances of these days.")),
        at("/door/{schedule_id}")
            .get(pages::show_door, shows::<DoorDocument<'_>>("Shows how many people are inside.")),
        at("/door/{schedule_id}/guests")
            .get(guests::new_search, shows::<GuestSearchDocument<'_>>("Asks for a guest."))
            .post(guests::create_search, shows::<GuestsDocument<'_>>("Finds guests by name, address or number of their reservation.")),
        at("/door/{schedule_id}/check-ins")
            .post(pages::create_check_in, creates::<CheckIn>("Lets the holder of a ticket in.").refuses(codes![TicketError::{Void, Unknown, Used, AlreadyIn, Resold, Replaced, HandedOver, Offered, Elsewhere, TooEarly, TooLate}])),
        at("/door/{schedule_id}/check-ins/{ticket_id}/undoing")
            .post(pages::undo_check_in, changes::<UndoneDocument>("Undoes a check-in.").refuses(codes![TicketError::{UndoOver, Void, HandedOver}])),
    ]
}
