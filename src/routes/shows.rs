//! Paths of shows.

use super::{CodeRefusal, KitError};
use crate::{
    catalog::{self, pages::HomeDocument, popularity::pages::PopularDocument},
    entry_queue::{self, pages::program_document::ProgramDocument},
    reservation::{self, codes::pages::RedemptionDocument},
    web::{
        error::codes,
        path::{
            Path, at,
            operation::{creates, file, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/")
            .get(catalog::pages::show_home, shows::<HomeDocument<'_>>("Lists the shows that are on sale, upcoming shows, and the most booked ones.")),
        at("/popular")
            .get(catalog::popularity::pages::show_popular, shows::<PopularDocument<'_>>("Ranks the shows by the bookings of a day or a week.")),
        at("/sitemap.xml")
            .get(catalog::pages::sitemap::show_sitemap, file("Lists the public pages for search engines.", "application/xml")),
        at("/robots.txt")
            .get(catalog::pages::sitemap::show_robots, file("Tells search engines which pages they may read.", "text/plain")),
        at("/posters/{slug}/{version}.png")
            .get(catalog::pages::picture::show_picture, file("Draws a poster for a show.", "image/png")),
        at("/posters/{slug}/{version}/{size}.jpg")
            .get(catalog::posters::pages::show_poster, file("Returns the poster that was uploaded for a show.", "image/jpeg").or_nothing(304).refuses(codes![KitError::NotFound])),
        at("/programs/{slug}")
            .get(entry_queue::pages::show_program, shows::<ProgramDocument<'_>>("Shows a show with its performances. A slug or an id names it.")),
        at("/programs/{slug}/code-redemptions").with_counted_refusals()
            .post(reservation::pages::create_redemption, creates::<RedemptionDocument>("Redeems an access code, which opens a section or a way in to the account.").refuses(codes![CodeRefusal::{Unknown, NotYet, Over, UsedUp, UsedByAccount, Elsewhere}])),
    ]
}
