//! Venues on the page of a program.

use url::form_urlencoded;

use crate::catalog::ScheduleListing;

/// Search of a map of the world that opens in any browser or in the map application of a phone.
const MAP_SEARCH: &str = "https://www.google.com/maps/search/?";

/// Venue of some of a program's performances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownVenue<'a> {
    pub(super) name: &'a str,
    /// Address; empty if it is not known.
    pub(super) address: &'a str,
}

impl<'a> ShownVenue<'a> {
    /// Lists the venues of performances, each once, in their order.
    pub(super) fn list(schedules: &'a [ScheduleListing]) -> Vec<Self> {
        let mut venues = Vec::new();
        for schedule in schedules {
            let venue = Self { name: &schedule.venue_name, address: &schedule.venue_address };
            if !venues.contains(&venue) {
                venues.push(venue);
            }
        }
        venues
    }

    /// Returns the address of a map of the venue.
    pub(super) fn map_url(&self) -> String {
        let place = format!("{} {}", self.name, self.address);
        form_urlencoded::Serializer::for_suffix(MAP_SEARCH.to_owned(), MAP_SEARCH.len())
            .append_pair("api", "1")
            .append_pair("query", place.trim_end())
            .finish()
    }
}
