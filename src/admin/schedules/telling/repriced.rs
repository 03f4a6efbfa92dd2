//! Mails and events about new ordinary prices to the accounts whose wishes are for places which have them. Holds keep the price
//! that they were made at, so their accounts get none.

use serde_json::json;

use super::{public_events, store};
use crate::{
    accounts::AccountId,
    catalog::{PriceGroup, Prices, ScheduleId, ZoneDetails, ZoneId},
    events::EventKind,
    infra::{ids::new_id, postgres::Connection},
    outbox::{self, Message, NewPrice, SharedKeys},
    points::Points,
};

/// Prices that one mail names.
const NAMED_MAX: usize = 12;

/// Writes the mails about the saved prices of a locked performance, to the accounts that wait for places anywhere or
/// in a section which has a seat of another price now.
pub(in crate::admin) async fn tell_prices(
    tx: &mut Connection,
    id: ScheduleId,
    before: &Prices,
    saved: &[(PriceGroup, Points)],
) -> Result<(), sqlx::Error> {
    let (mut categories, mut sections) = (Vec::new(), Vec::new());
    let mut prices = Vec::new();
    for (group, now) in saved {
        let (kept, named, name) = match group {
            PriceGroup::Category(name) => (&before.categories, &mut categories, name),
            PriceGroup::Section(name) => (&before.sections, &mut sections, name),
        };
        let found = kept.iter().find(|(found, ..)| found == name);
        let (lowest, highest) =
            found.map_or((None, None), |(_, lowest, highest)| (*lowest, *highest));
        if (lowest, highest) != (Some(*now), Some(*now)) {
            named.push(name.clone());
            prices.push(NewPrice { of: name.clone(), was: highest, now: *now });
        }
    }
    if prices.is_empty() {
        return Ok(());
    }
    let accounts = store::list_waiting_for(tx, id, &categories, &sections).await?;
    tell(tx, id, &accounts, prices).await
}

/// Writes the mails about another price of a zone, to the accounts that wait for places anywhere or in the zone.
pub(in crate::admin) async fn tell_zone_price(
    tx: &mut Connection,
    id: ScheduleId,
    zone_id: ZoneId,
    (before, after): (&ZoneDetails, &ZoneDetails),
) -> Result<(), sqlx::Error> {
    if before.price == after.price {
        return Ok(());
    }
    let accounts = store::list_waiting_for_zone(tx, id, zone_id).await?;
    let new = NewPrice { of: after.name.clone(), was: Some(before.price), now: after.price };
    tell(tx, id, &accounts, vec![new]).await
}

async fn tell(
    tx: &mut Connection,
    id: ScheduleId,
    accounts: &[AccountId],
    mut prices: Vec<NewPrice>,
) -> Result<(), sqlx::Error> {
    let changed = json!({ "prices": prices });
    public_events::write(tx, id, EventKind::PerformanceRepriced, changed).await?;
    let n_more = prices.len().saturating_sub(NAMED_MAX);
    prices.truncate(NAMED_MAX);
    let message = Message::PricesChanged { schedule_id: id.0, prices, n_more };
    let keys = SharedKeys {
        order_key: format!("performance:{id}:"),
        dedupe_key: format!("prices-changed:{}:", new_id()),
    };
    outbox::write_to_all(tx, accounts, &message, &keys).await.map(drop)
}
