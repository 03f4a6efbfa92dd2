//! Performances and venues, as administrators edit them.

use super::{AdminError, CatalogError, InventoryError, KitError};
use crate::{
    accounts::admin_of,
    admin::{
        attendees::pages::{self as attendees, AttendeesDocument},
        cancellation::schedule_pages::{self, ScheduleCancellationDocument},
        schedules::{
            Repriced,
            pages::{
                self,
                documents::{ChangedSeats, NewZoneDocument, ScheduleEditionDocument},
                hidden,
                price_types::{self, EditedTypesDocument},
            },
        },
        venues::{
            SaveState,
            pages::{self as venues, VenueDocument, VenuesDocument, plan::PlanDocument},
        },
    },
    catalog::{
        ScheduleEdition, ScheduleId, VenueEdition, VenueId, ZoneDetails, price_types::PriceTypes,
    },
    web::{
        error::codes,
        page::DeletedDocument,
        path::{
            Path, at,
            operation::{changes, creates, file, page, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/admin/schedules/{id}")
            .get(pages::show_schedule, shows::<ScheduleEditionDocument<'_>>("Shows a performance with its prices and free places."))
            .post(pages::update_schedule, changes::<ScheduleEdition>("Moves a performance to another time, and tells people with tickets or wishes by mail, with the `words` of the office.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{MomentTaken, WrongStatus}])).with_long_deadline(),
        at("/admin/schedules/{id}/attendees")
            .get(attendees::list_attendees, shows::<AttendeesDocument<'_>>("Lists the attendees of a performance.")),
        at("/admin/schedules/{id}/attendees/sheet")
            .get(attendees::show_sheet, shows::<AttendeesDocument<'_>>("Lists the attendees of a performance, on a sheet to print.")),
        at("/admin/schedules/{id}/attendees.csv")
            .get(attendees::download_attendees, file("Downloads the attendees of a performance.", "text/csv")),
        at("/admin/schedules/{id}/cancellation")
            .get(schedule_pages::show_schedule_cancellation, shows::<ScheduleCancellationDocument<'_>>("Shows the refunds of a cancellation, or its progress."))
            .post(schedule_pages::create_schedule_cancellation, changes::<ScheduleEdition>("Cancels a performance, and refunds all payments.").refuses(codes![CatalogError::WrongStatus, KitError::ChangedMeanwhile])),
        at("/admin/schedules/{id}/deletion")
            .post(pages::create_deletion, changes::<DeletedDocument<ScheduleId>>("Deletes a performance of a draft.").refuses(codes![CatalogError::{InUse, WrongStatus}, KitError::ChangedMeanwhile])),
        at("/admin/schedules/{id}/venue")
            .post(pages::update_venue, changes::<ScheduleEdition>("Gives a performance without seats another venue, at the same hour of its clock, and tells people with tickets or wishes by mail, with the `words` of the office. What was booked may be given back in full.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{SeatsOfVenue, MomentTaken, WrongStatus}])).with_long_deadline(),
        at("/admin/schedules/{id}/kept-places")
            .post(pages::update_kept_places, changes::<ScheduleEdition>("Sets when wheelchair places go on general sale.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::WrongStatus])),
        at("/admin/schedules/{id}/prices")
            .post(pages::update_prices, changes::<Repriced>("Changes prices, of price categories and of sections for their seats without one.").refuses(codes![CatalogError::{NoSuchSection, NoSuchCategory, WrongStatus}, KitError::ChangedMeanwhile])),
        at("/admin/schedules/{id}/price-types")
            .get(price_types::show_price_types, shows::<EditedTypesDocument<'_>>("Lists the price types of a performance."))
            .post(price_types::create_price_type, changes::<PriceTypes>("Adds a price type.").refuses(codes![CatalogError::{TooManyPriceTypes, PriceTypeTaken, WrongStatus}, KitError::ChangedMeanwhile])),
        at("/admin/schedules/{id}/price-types/copies")
            .post(price_types::copy_price_types, changes::<PriceTypes>("Copies the price types of another performance.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{PriceTypeTaken, TooManyPriceTypes, WrongStatus}])),
        at("/admin/schedules/{id}/price-types/{type_id}")
            .post(price_types::update_price_type, changes::<PriceTypes>("Changes a price type.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{PriceTypeTaken, WrongStatus}])),
        at("/admin/schedules/{id}/price-types/{type_id}/withdrawal")
            .post(price_types::withdraw_price_type, changes::<PriceTypes>("Withdraws a price type.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::WrongStatus])),
        at("/admin/schedules/{id}/hidden-sections")
            .post(hidden::update_hidden, changes::<ChangedSeats>("Hides a section from accounts without an access code, or shows it.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{NoSuchSection, SeatsInUse}])),
        at("/admin/schedules/{id}/blocks")
            .post(pages::update_blocks, changes::<ChangedSeats>("Takes seats out of sale, or back.").refuses(codes![CatalogError::SeatsInUse, InventoryError::NoSuchSeats, KitError::ChangedMeanwhile])),
        at("/admin/schedules/{id}/zones")
            .post(pages::create_zone, changes::<NewZoneDocument>("Adds a zone of places without numbers.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{ZoneTaken, WrongStatus}])),
        at("/admin/schedules/{id}/zones/{zone_id}")
            .post(pages::update_zone, changes::<ZoneDetails>("Changes a zone, and tells people with places in it of another name by mail, with the `words` of the office.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{ZoneTaken, WrongStatus}, InventoryError::PlacesInUse])).with_long_deadline(),
        at("/admin/venues")
            .get(venues::list_all, shows::<VenuesDocument<'_>>("Lists the venues."))
            .post(venues::create_venue, creates::<VenueEdition>("Adds a venue.")),
        at("/admin/venues/new")
            .get(venues::new_venue, page("Asks for the data of a new venue.")),
        at("/admin/venues/{id}")
            .get(venues::show_venue, shows::<VenueDocument<'_>>("Shows a venue."))
            .post(venues::update_venue, changes::<VenueEdition>("Changes a venue, says what its performances keep if it gets another time zone, and tells people with tickets or wishes by mail, with the `words` of the office.").refuses(codes![KitError::ChangedMeanwhile, AdminError::ZoneAsked, CatalogError::MomentTaken])).with_long_deadline(),
        at("/admin/venues/{id}/deletion")
            .post(venues::create_deletion, changes::<DeletedDocument<VenueId>>("Deletes a venue that no performance uses.").refuses(codes![CatalogError::InUse, KitError::ChangedMeanwhile])),
        at("/admin/venues/{id}/seats")
            .post(venues::update_seats, changes::<VenueEdition>("Replaces the seat plan by a CSV file, and tells people by mail whose seats are `elsewhere` in the hall.").refuses(codes![AdminError::SeatsMoveAsked, CatalogError::{Plan, KindsInUse, SeatsInUse, TooManyKinds}, KitError::ChangedMeanwhile])).uploads(admin_of).with_long_deadline(),
        at("/admin/venues/{id}/seats/saves/{save_id}")
            .get(venues::show_save, shows::<SaveState>("Shows the progress of the save of a large seat plan, or its end.")),
        at("/admin/venues/{id}/seats.csv")
            .get(venues::show_seats, file("Downloads the seat plan.", "text/csv")),
        at("/admin/venues/{id}/seats/preview")
            .post(venues::preview_seats, shows::<PlanDocument<'_>>("Draws a seat plan before it is used.").refuses(codes![CatalogError::Plan, KitError::ChangedMeanwhile])).uploads(admin_of).with_long_deadline(),
    ]
}
