//! Form that makes a share, as sent.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{
    accounts::AccountId,
    infra::idempotency::RequestKey,
    payment::shares::{make::ShareOrder, model::Place},
    reservation::ReservationId,
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
    /// UUID of the request. Repeated with the same body, it answers the first success again.
    request_key: Field,
}

impl ShareForm {
    pub(super) fn parse(
        &self,
        owner_id: AccountId,
        reservation_id: ReservationId,
    ) -> Result<(ShareOrder, Option<RequestKey>), Mistakes> {
        let mut mistakes = Mistakes::default();
        let places: Option<BTreeSet<Place>> = self.places.0.iter().map(Field::parse).collect();
        let places = places.filter(|places| !places.is_empty());
        let places = mistakes.note("places", "share-refusal-places", places);
        let key = request_key::parse(&mut mistakes, &self.request_key);
        let order = places.map(|places| {
            let key = key.map(|key| {
                let names: Vec<String> = places.iter().map(Place::to_string).collect();
                let order = json!({ "reservation_id": reservation_id, "places": names });
                RequestKey::new(owner_id.0, key, "POST /reservations/{id}/shares", &order)
            });
            (ShareOrder { owner_id, reservation_id, places }, key)
        });
        mistakes.or(order)
    }
}
