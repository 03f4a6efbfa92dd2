//! SQL of shares as mails describe them.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::ReservedPlace;
use crate::{infra::postgres::Pool, points::Points};

/// Share as a mail to its payer describes it.
#[derive(Clone, Debug)]
pub(crate) struct ShareTold {
    /// Name of the payer.
    pub payer: String,
    /// Name of the holder of the reservation.
    pub holder: String,
    /// Title of the program.
    pub title: String,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Name of the venue.
    pub venue: String,
    /// Time zone of the venue.
    pub time_zone: String,
    /// Price of its places.
    pub amount: Points,
}

/// Returns a share as its mail describes it; `None` if there is none, or it is not paid.
pub(crate) async fn find_share(
    db: &Pool,
    share_id: Uuid,
) -> Result<Option<ShareTold>, sqlx::Error> {
    sqlx::query_as!(
        ShareTold,
        r#"
        select a.name as payer, o.name as holder, p.title, d.starts_at, v.name as venue, v.time_zone,
            s.amount as "amount: Points"
        from shares s
        join accounts a on a.id = s.payer_id
        join reservations r on r.id = s.reservation_id
        join accounts o on o.id = r.account_id
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        join venues v on v.id = d.venue_id
        where s.id = $1
        "#,
        share_id,
    )
    .fetch_optional(db)
    .await
}

/// Share that waits to be paid, as the mail with its link describes it.
#[derive(Clone, Debug)]
pub(crate) struct OfferedShare {
    /// Title of the program.
    pub title: String,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Name of the venue.
    pub venue: String,
    /// Time zone of the venue.
    pub time_zone: String,
    /// Price of its places.
    pub amount: Points,
    /// End of the hold.
    pub expires_at: DateTime<Utc>,
}

/// Returns a share that waits to be paid; `None` if there is none, it was paid or taken back, or its hold has ended.
pub(crate) async fn find_offered(
    db: &Pool,
    share_id: Uuid,
) -> Result<Option<OfferedShare>, sqlx::Error> {
    sqlx::query_as!(
        OfferedShare,
        r#"
        select p.title, d.starts_at, v.name as venue, v.time_zone, s.amount as "amount: Points", r.expires_at
        from shares s
        join reservations r on r.id = s.reservation_id
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        join venues v on v.id = d.venue_id
        where s.id = $1 and s.status = 'OPEN' and r.status = 'HELD' and r.expires_at > clock_timestamp()
        "#,
        share_id,
    )
    .fetch_optional(db)
    .await
}

/// Lists the seats of a share, and its places of each zone with their number.
pub(crate) async fn list_share_places(
    db: &Pool,
    share_id: Uuid,
) -> Result<Vec<ReservedPlace>, sqlx::Error> {
    sqlx::query_as!(
        ReservedPlace,
        r#"
        select s.section as "section?", s.row_label as "row_label?", s.number as "number?",
            z.name as "zone?", count(*)::integer as "quantity!", t.name as "price_type?"
        from share_places p
        join reservation_items i on i.id = p.reservation_item_id
        left join schedule_seats c on c.id = i.schedule_seat_id
        left join seats s on s.id = c.seat_id
        left join zones z on z.id = i.zone_id
        left join lateral (
            select name, note from price_types where id = i.price_type_id offset 0
        ) t on true
        where p.share_id = $1
        group by i.id, s.id, z.id, t.name
        order by i.schedule_seat_id, i.id
        "#,
        share_id,
    )
    .fetch_all(db)
    .await
}
