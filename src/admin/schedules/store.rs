//! SQL of a performance's waiting list, as staff see it: how many wait, and in which order.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    accounts::AccountId, catalog::ScheduleId, infra::postgres::Pool, points::Points,
    reservation::waiting_list::model::WishOrder,
};

/// Wishes that are listed; the others are counted.
const LISTED_MAX: i64 = 50;

/// Waiting list of one performance.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct WaitingList {
    /// Wishes that wait.
    pub waiting: i32,
    /// The first of them, in their order.
    pub wishes: Vec<WishRow>,
}

/// Wish that waits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct WishRow {
    pub number: i64,
    pub account_id: AccountId,
    pub name: String,
    #[serde(flatten)]
    pub order: WishOrder,
    pub created_at: DateTime<Utc>,
}

impl WaitingList {
    /// Reads the list of a performance.
    pub(crate) async fn read(db: &Pool, schedule_id: ScheduleId) -> Result<Self, sqlx::Error> {
        let waiting = sqlx::query_scalar!(
            "select waiting from waiting_lists where schedule_id = $1",
            schedule_id as _,
        );
        let waiting = waiting.fetch_optional(db).await?.unwrap_or_default();
        let wishes = match waiting {
            0 => Vec::new(),
            _ => list_wishes(db, schedule_id).await?,
        };
        Ok(Self { waiting, wishes })
    }

    /// Returns the number of wishes that wait and are not listed.
    pub(crate) fn n_others(&self) -> usize {
        usize::try_from(self.waiting).unwrap_or(0).saturating_sub(self.wishes.len())
    }
}

async fn list_wishes(db: &Pool, schedule_id: ScheduleId) -> Result<Vec<WishRow>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select w.number, w.account_id as "account_id: AccountId", a.name, w.places,
            coalesce(z.name, w.section) as section, w.price_max as "price_max: Points", w.is_together, w.created_at
        from wishes w
        join accounts a on a.id = w.account_id
        left join zones z on z.id = w.zone_id
        where w.schedule_id = $1 and w.status = 'WAITING' and w.settled_at is null
        order by w.number
        limit $2
        "#,
        schedule_id as _,
        LISTED_MAX,
    )
    .fetch_all(db)
    .await?;
    let wishes = rows.into_iter().map(|row| WishRow {
        number: row.number,
        account_id: row.account_id,
        name: row.name,
        order: WishOrder {
            places: row.places,
            section: row.section,
            zone_id: None,
            price_max: row.price_max,
            is_together: row.is_together,
        },
        created_at: row.created_at,
    });
    Ok(wishes.collect())
}
