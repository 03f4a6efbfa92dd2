//! Form that makes a share, as sent.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{
    accounts::{AccountId, Email},
    infra::idempotency::RequestKey,
    payment::shares::model::{Place, ShareOrder},
    reservation::ReservationId,
    text::i18n::Locale,
    web::{
        form::{Field, Fields, Mistakes},
        request_key,
    },
};

/// Fields of a share, as sent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["places"]))]
pub struct ShareForm {
    /// Places as `item:number`, at least one.
    places: Fields,
    /// E-mail address of the friend, to which the link is sent; empty: to none.
    to: Field,
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl ShareForm {
    pub(super) fn parse(
        &self,
        owner_id: AccountId,
        reservation_id: ReservationId,
        locale: Locale,
    ) -> Result<(ShareOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let places: Option<BTreeSet<Place>> = self.places.0.iter().map(Field::parse).collect();
        let places = places.filter(|places| !places.is_empty());
        let places = mistakes.note("places", "share-refusal-places", places);
        let to = match self.to.is_empty() {
            true => Some(None),
            false => Email::parse(self.to.text()).map(Some),
        };
        let to = mistakes.note("to", "account-refusal-email", to);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = places.zip(to).map(|(places, to)| {
            let key = key.map(|key| {
                let names: Vec<String> = places.iter().map(Place::to_string).collect();
                let to = to.as_ref().map(Email::as_str);
                let order = json!({ "reservation_id": reservation_id, "places": names, "to": to });
                RequestKey::new(owner_id.0, key, "POST /reservations/{id}/shares", &order)
            });
            (ShareOrder { owner_id, reservation_id, places, to, locale }, key)
        });
        mistakes.or(order)
    }
}
