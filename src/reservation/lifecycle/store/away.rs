//! SQL for the refund of a paid reservation: the holders of its tickets, and the points of its
//! owner.

use uuid::Uuid;

use crate::{infra::postgres::Pool, points::Points, reservation::model::ReservationId};

/// Tickets of a paid reservation, counted by holder.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TicketsAway {
    /// Tickets that the reservation's owner holds.
    pub own: i64,
    /// Tickets that another account holds.
    pub with_others: i64,
    /// Tickets of the owner with a pending hand-over.
    pub offered: i64,
}

impl TicketsAway {
    /// Whether the owner's refund is refused until a ticket comes back.
    pub(crate) fn keeps_refund(&self) -> bool {
        self.with_others > 0 || self.offered > 0
    }
}

/// Counts the valid and used tickets of a reservation by holder.
pub(crate) async fn tickets_away_of(
    db: &Pool,
    id: ReservationId,
) -> Result<TicketsAway, sqlx::Error> {
    sqlx::query_as!(
        TicketsAway,
        r#"
        select count(*) filter (where t.account_id = r.account_id) as "own!",
            count(*) filter (where t.account_id <> r.account_id) as "with_others!",
            count(*) filter (where t.account_id = r.account_id and exists (
                select from ticket_hand_overs
                where ticket_id = t.id and status = 'PENDING'
                  and expires_at > clock_timestamp())) as "offered!"
        from (select id, account_id from reservations where id = $1) r
        cross join lateral (
            select id from reservation_items where reservation_id = r.id offset 0
        ) i
        cross join lateral (
            select id, account_id, status from tickets where reservation_item_id = i.id offset 0
        ) t
        where t.status in ('VALID', 'USED')
        "#,
        id as _,
    )
    .fetch_one(db)
    .await
}

/// Returns the points that the owner got back for a refunded reservation, without the refunds of
/// shares to other payers.
pub(crate) async fn refunded_to_owner(db: &Pool, id: ReservationId) -> Result<Points, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select coalesce(sum(t.amount), 0)::bigint as "points!: Points"
        from (select id, account_id from reservations where id = $1) r
        join payments m on m.reservation_id = r.id and m.account_id = r.account_id
        join point_transactions t on t.reference_id = m.id and t.kind = 'REFUND'
        where m.status = 'REFUNDED'
        "#,
        id as _,
    )
    .fetch_one(db)
    .await
}

/// Payment of a reservation, less the prices of places that have left it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaidPart {
    pub id: Uuid,
    pub amount: Points,
    /// Prices of places of it that the house took back.
    pub to_house: Points,
    /// Whether the reservation's owner made it.
    pub is_own: bool,
}

/// Lists the payments of a paid reservation, less the prices of the places that have left it.
pub(crate) async fn list_paid(db: &Pool, id: ReservationId) -> Result<Vec<PaidPart>, sqlx::Error> {
    sqlx::query_as!(
        PaidPart,
        r#"
        select m.id, (m.amount - sold.points)::bigint as "amount!: Points",
            sold.to_house as "to_house!: Points", m.account_id = r.account_id as "is_own!"
        from (select id, account_id from reservations where id = $1) r
        join payments m on m.reservation_id = r.id
        cross join lateral (
            select coalesce(sum(price), 0) as points,
                coalesce(sum(price) filter (where to_house), 0)::bigint as to_house
            from (
                select price, payment_id, to_house from ticket_returns
                where reservation_id = r.id and status = 'SOLD' offset 0
            ) of_it
            where payment_id = m.id
        ) sold
        where m.status = 'COMPLETED'
        "#,
        id as _,
    )
    .fetch_all(db)
    .await
}
