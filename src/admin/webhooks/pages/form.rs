//! Forms of endpoints.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use strum::VariantArray;
use tokio::time::timeout;
use url::{Host, Url};

use crate::{
    admin::pages::parse_text,
    events::EventKind,
    web::form::{Field, Fields, Mistakes},
    webhooks::{
        model::{EndpointDetails, ListedEndpoint},
        target::{self, TargetFault, TargetResolver},
    },
};

/// Longest look for the name of a new endpoint. One that is not found then may be later.
const LOOK_MAX: Duration = Duration::from_secs(2);
/// Length of a description at most, in characters.
const DESCRIPTION_CHARS_MAX: usize = 80;
/// Most hours back from which deliveries that were given up can be replayed: events are kept for
/// thirty days.
const HOURS_MAX: i64 = 720;

/// Form of an endpoint, a new one or one to change, as typed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["url"]))]
pub struct EndpointForm {
    /// Address that events are sent to.
    pub(super) url: Field,
    /// Description.
    pub(super) description: Field,
    /// Kinds of events, one or more.
    kinds: Fields,
}

impl EndpointForm {
    /// Returns the form as an endpoint fills it.
    pub(super) fn of(endpoint: &ListedEndpoint) -> Self {
        Self {
            url: Field::of(&endpoint.url),
            description: Field::of(&endpoint.description),
            kinds: Fields(endpoint.kinds.iter().map(Field::of).collect()),
        }
    }

    /// Returns the kinds of events: the name of each, and whether it is chosen.
    pub(super) fn all_kinds(&self) -> impl Iterator<Item = (&'static str, bool)> {
        let is_chosen = |name: &str| self.kinds.0.iter().any(|field| field.text() == name);
        EventKind::VARIANTS.iter().map(move |kind| (kind.name(), is_chosen(kind.name())))
    }

    /// Parses the form, and refuses a name that resolves to a private address.
    pub(super) async fn parse(&self, allows_private: bool) -> Result<EndpointDetails, Mistakes> {
        let mut mistakes = Mistakes::default();
        let url = match check(self.url.text(), allows_private).await {
            Ok(url) => Some(url),
            Err(fault) => mistakes.note("url", reason_of(fault), None),
        };
        let description = parse_text(&self.description, 1, DESCRIPTION_CHARS_MAX);
        let description =
            mistakes.note("description", "admin-webhook-refusal-description", description);
        let kinds: Option<Vec<EventKind>> = self.kinds.0.iter().map(Field::parse).collect();
        let kinds = kinds.filter(|kinds| !kinds.is_empty()).map(|mut kinds| {
            kinds.sort_by_key(|kind| kind.name());
            kinds.dedup();
            kinds.iter().map(|kind| kind.name().to_owned()).collect()
        });
        let kinds = mistakes.note("kinds", "admin-webhook-refusal-kinds", kinds);
        let new = url.zip(description).zip(kinds);
        mistakes.or(new.map(|((url, description), kinds)| EndpointDetails {
            url: url.into(),
            description,
            kinds,
        }))
    }
}

async fn check(text: &str, allows_private: bool) -> Result<Url, TargetFault> {
    let url = target::parse(text, allows_private)?;
    let Some(Host::Domain(name)) = url.host() else { return Ok(url) };
    let resolver = TargetResolver { allows_private };
    match timeout(LOOK_MAX, resolver.addresses_of(name)).await {
        Ok(Err(fault)) if fault.is::<TargetFault>() => Err(TargetFault::Private),
        _ => Ok(url),
    }
}

fn reason_of(fault: TargetFault) -> &'static str {
    match fault {
        TargetFault::Malformed => "admin-webhook-refusal-url",
        TargetFault::NotHttps => "admin-webhook-refusal-https",
        TargetFault::Private => "admin-webhook-refusal-private",
    }
}

/// Form of a replay of deliveries that were given up within some hours.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReplayForm {
    /// Hours to look back.
    hours: Field,
}

impl ReplayForm {
    pub(super) fn parse(&self) -> Result<i64, Mistakes> {
        let mut mistakes = Mistakes::default();
        let hours = self.hours.parse().filter(|hours| (1..=HOURS_MAX).contains(hours));
        let hours = mistakes.note("hours", "admin-webhook-refusal-hours", hours);
        mistakes.or(hours)
    }
}
