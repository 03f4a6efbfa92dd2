//! The service itself.

use super::{FixtureError, KitError};
use crate::{
    api_reference::pages as api_reference,
    office_pages::{self as office, LegalDocument},
    rehearsal::{
        fixtures::model::Stage,
        pages::{self as rehearsal, AddedPeople},
    },
    web::{
        error::codes,
        files::assets,
        health::{self, HealthDocument, ReadinessDocument},
        metrics,
        path::{
            Path, at,
            operation::{file, gives, makes, page, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    vec![
        at("/openapi.json")
            .get(api_reference::download_document, gives::<serde_json::Value>("Downloads this document.").or_nothing(304)),
        at("/api")
            .get(api_reference::show_reference, page("Shows this document to people.")),
        at("/api/{group}")
            .get(api_reference::show_group, page("Shows the operations of a group to people.").refuses(codes![KitError::NotFound])),
        at("/healthz")
            .get(health::show_health, gives::<HealthDocument>("Answers while the process is up.")),
        at("/readyz")
            .get(health::show_readiness, gives::<ReadinessDocument>("Tells whether the instance can serve.").answers::<ReadinessDocument>(503)),
        at("/metrics")
            .get(metrics::show_metrics, file("Returns the metrics of the instance for Prometheus, where they are not kept private.", "text/plain").refuses(codes![KitError::NotFound])),
        at("/static/{version}/{*name}")
            .get(assets::show_asset, file("Returns a file of the pages.", "text/css").or_file("text/javascript").or_file("image/svg+xml").or_file("image/png").or_file("font/woff2").or_file("text/plain")),
        at("/imprint")
            .get(office::show_imprint, shows::<LegalDocument<'_>>("Shows the imprint, where the office has one.").refuses(codes![KitError::NotFound])),
        at("/terms")
            .get(office::show_terms, shows::<LegalDocument<'_>>("Shows the terms, where the office has any.").refuses(codes![KitError::NotFound])),
        at("/privacy")
            .get(office::show_privacy, shows::<LegalDocument<'_>>("Shows the privacy notice, where the office has one.").refuses(codes![KitError::NotFound])),
        at("/office/{version}/{size}.png")
            .get(office::show_logo, file("Returns the logo of the office, in place of an older one, too.", "image/png").or_nothing(304).refuses(codes![KitError::NotFound])),
        at("/office/{colour}.css")
            .get(office::show_style, file("Returns the shades of a colour, for an office that has set it.", "text/css").refuses(codes![KitError::NotFound])),
        at("/manifest.webmanifest")
            .get(office::show_manifest, file("Returns the web app manifest of the office.", "application/manifest+json")),
        at("/door.webmanifest")
            .get(office::show_door_manifest, file("Returns the web app manifest of the door.", "application/manifest+json")),
        at("/rehearsal/stages")
            .post(rehearsal::create_stage, makes::<Stage>("Makes a show and people for a rehearsal.").refuses(codes![FixtureError::{TooMany, TooManyStages}])).with_long_deadline(),
        at("/rehearsal/stages/{id}")
            .delete(rehearsal::delete_stage, gives::<()>("Removes the show and the people of a rehearsal.")).with_long_deadline(),
        at("/rehearsal/stages/{id}/people")
            .post(rehearsal::create_people, makes::<AddedPeople>("Adds people to a rehearsal.").refuses(codes![FixtureError::TooMany])).with_long_deadline(),
    ]
}
