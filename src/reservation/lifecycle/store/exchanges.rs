//! SQL of exchanges as pages show them: which one is open, and until when a paid order's tickets may be exchanged.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    infra::postgres::Pool,
    points::Points,
    reservation::model::{ExchangeId, ReservationId},
};

/// Exchange that is open, as its account sees it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ShownExchange {
    pub exchange_id: ExchangeId,
    /// Order of the tickets.
    pub from_id: ReservationId,
    /// Number of tickets.
    pub tickets: i64,
    /// What was paid for them.
    pub price: Points,
    /// What they are worth for other places: the price less the fee of each.
    pub worth: Points,
}

impl ShownExchange {
    /// Returns what of the price is not worth anything for other places.
    pub(crate) fn fee(&self) -> Points {
        self.price.checked_sub(self.worth).unwrap_or_default()
    }
}

/// Returns the open exchange of an account in a program; `None` without one.
pub async fn find_open_exchange(
    db: &Pool,
    account_id: AccountId,
    program_id: ProgramId,
) -> Result<Option<ShownExchange>, sqlx::Error> {
    sqlx::query_as!(
        ShownExchange,
        r#"
        select x.id as "exchange_id: ExchangeId", x.from_id as "from_id: ReservationId",
            given.tickets as "tickets!", given.price as "price!: Points", given.worth as "worth!: Points"
        from (
            select id, from_id, fee from exchanges
            where account_id = $1 and program_id = $2 and status = 'OPEN' offset 0
        ) x
        cross join lateral (
            select count(*) as tickets, coalesce(sum(paid.price), 0)::bigint as price,
                coalesce(sum(greatest(paid.price - x.fee, 0)), 0)::bigint as worth
            from exchanged_tickets e
            cross join lateral (
                select paid_for_place(reservation_item_id, number) as price from tickets where id = e.ticket_id offset 0
            ) paid
            where e.exchange_id = x.id
        ) given
        "#,
        account_id as _,
        program_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Lists what was paid for the tickets of an exchange.
pub(in crate::reservation::lifecycle) async fn list_given_prices(
    db: &Pool,
    id: ExchangeId,
) -> Result<Vec<Points>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select paid_for_place(t.reservation_item_id, t.number) as "price!: Points"
        from (select ticket_id from exchanged_tickets where exchange_id = $1 offset 0) given
        cross join lateral (
            select reservation_item_id, number from tickets where id = given.ticket_id offset 0
        ) t
        "#,
        id as _,
    )
    .fetch_all(db)
    .await
}

/// Returns until when an exchange of tickets of an order may be begun by its account; `None` where staff alone exchange them.
pub(crate) async fn exchange_until(
    db: &Pool,
    id: ReservationId,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    let until = sqlx::query_scalar!(
        r#"
        select case when coalesce(r.exchange_fee, p.exchange_fee) is not null then
            least(p.off_sale_at, d.starts_at - make_interval(hours => case
                when r.exchange_fee is null then p.exchange_until_hours else r.exchange_until_hours
            end)) end as until
        from reservations r
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        where r.id = $1
        "#,
        id as _,
    );
    Ok(until.fetch_optional(db).await?.flatten())
}
