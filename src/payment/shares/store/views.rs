//! SQL of shares as they are shown. A live share of a hold that has ended is shown as returned.

use chrono::{DateTime, Utc};
use sqlx::types::Json;

use crate::{
    accounts::AccountId,
    catalog::{SeatKind, ToldNote},
    infra::postgres::Pool,
    payment::shares::model::{SHARES_MAX, ShareId, ShareStatus},
    points::Points,
    reservation::{ReservationId, ReservationItemId},
};

/// Share in the holder's list.
#[derive(Clone, Debug)]
pub(crate) struct ListedShare {
    pub id: ShareId,
    pub status: ShareStatus,
    pub amount: Points,
    /// Name of the payer; `None` while the share is open.
    pub payer: Option<String>,
    /// Whether it has a link, and so was made for a friend.
    pub(crate) has_link: bool,
}

/// Lists the shares of a reservation, oldest first.
pub(crate) async fn list(
    db: &Pool,
    reservation_id: ReservationId,
) -> Result<Vec<ListedShare>, sqlx::Error> {
    sqlx::query_as!(
        ListedShare,
        r#"
        select s.id as "id: _",
               case when s.settled_at is null
                         and (r.status <> 'HELD' or r.expires_at <= clock_timestamp())
                    then 'RETURNED' else s.status end as "status!: ShareStatus",
               s.amount as "amount: _", a.name as "payer?", s.code_hash is not null as "has_link!"
        from shares s
        join reservations r on r.id = s.reservation_id
        left join accounts a on a.id = s.payer_id
        where s.reservation_id = $1
        order by s.id
        limit $2
        "#,
        reservation_id as _,
        SHARES_MAX,
    )
    .fetch_all(db)
    .await
}

/// Seat, or one place in a zone, of a reservation.
#[derive(Clone, Debug)]
pub(crate) struct ListedPlace {
    pub item_id: ReservationItemId,
    /// Number within the item, from 1.
    pub(crate) place_number: i32,
    /// Price before the discount, which `pages` subtracts.
    pub price: Points,
    /// Whether the place was on return when it was held, so that no code makes it cheaper.
    pub was_on_return: bool,
    /// Live share that it is in; `None` for a place of the rest, which the holder pays.
    pub share_id: Option<ShareId>,
    /// Section of the seat; `None` for a zone, like row and number.
    pub section: Option<String>,
    pub row_label: Option<String>,
    pub number: Option<i32>,
    pub kind: Option<SeatKind>,
    /// Name of the zone; `None` for a seat.
    pub zone: Option<String>,
    /// Name of the price type; `None` at the ordinary price.
    pub price_type: Option<String>,
}

/// Lists the places of a reservation in the order of their seats.
pub(crate) async fn list_places(
    db: &Pool,
    reservation_id: ReservationId,
) -> Result<Vec<ListedPlace>, sqlx::Error> {
    sqlx::query_as!(
        ListedPlace,
        r#"
        select i.id as "item_id: _", place.number as "place_number!", i.unit_price as "price: _",
               (i.return_id is not null or i.was_on_return) as "was_on_return!",
               p.share_id as "share_id?: _", v.section as "section?", v.row_label as "row_label?",
               v.number as "number?", s.kind as "kind?: SeatKind", z.name as "zone?",
               t.name as "price_type?"
        from reservation_items i
        cross join lateral generate_series(1, i.quantity) as place (number)
        left join share_places p
            on p.reservation_item_id = i.id and p.number = place.number and p.live
        left join schedule_seats s on s.id = i.schedule_seat_id
        left join seats v on v.id = s.seat_id
        left join zones z on z.id = i.zone_id
        left join lateral (
            select name, note from price_types where id = i.price_type_id offset 0
        ) t on true
        where i.reservation_id = $1
        order by v.section, v.row_label, v.number, z.name, i.id, place.number
        "#,
        reservation_id as _,
    )
    .fetch_all(db)
    .await
}

/// Share as it is shown to an account that opens its link.
#[derive(Clone, Debug)]
pub(crate) struct ShownShare {
    pub id: ShareId,
    pub reservation_id: ReservationId,
    pub owner_id: AccountId,
    /// Name of the holder.
    pub from: String,
    pub payer_id: Option<AccountId>,
    pub status: ShareStatus,
    pub amount: Points,
    /// End of the hold; kept after payment.
    pub expires_at: DateTime<Utc>,
    /// Price of the whole reservation.
    pub total: Points,
    /// Points that the reservation's code subtracts from the prices of its places.
    pub discount: Points,
    /// Points of the reservation that are withheld or paid.
    pub covered: Points,
    pub slug: String,
    pub title: String,
    pub poster_number: i32,
    pub starts_at: DateTime<Utc>,
    pub venue: String,
    pub time_zone: String,
    /// Start when the places were held, where the performance has moved since.
    pub moved_from: Option<DateTime<Utc>>,
    /// What else was called otherwise then.
    pub changes: Json<Vec<ToldNote>>,
}

/// Returns the share whose link has the code with this hash; `None` if there is none.
pub(crate) async fn find_shown(
    db: &Pool,
    code_hash: &[u8],
) -> Result<Option<ShownShare>, sqlx::Error> {
    sqlx::query_as!(
        ShownShare,
        r#"
        select s.id as "id: _", r.id as "reservation_id: _", r.account_id as "owner_id: _",
               a.name as "from", s.payer_id as "payer_id: _",
               case when s.settled_at is null
                         and (r.status <> 'HELD' or r.expires_at <= clock_timestamp())
                    then 'RETURNED' else s.status end as "status!: ShareStatus",
               s.amount as "amount: _",
               r.expires_at, r.total as "total: _", r.discount as "discount: _",
               (select coalesce(sum(amount), 0)::bigint from shares
                where reservation_id = s.reservation_id and status in ('WITHHELD', 'PAID'))
                   as "covered!: Points",
               p.slug, p.title, p.poster_number, d.starts_at, v.name as venue, v.time_zone,
               nullif(m.was_at, d.starts_at) as "moved_from?",
               told_notes(d.id, r.created_at, zones_of(r.id), seats_of(r.id)) as "changes!: Json<Vec<ToldNote>>"
        from shares s
        join reservations r on r.id = s.reservation_id
        join accounts a on a.id = r.account_id
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        join venues v on v.id = d.venue_id
        left join lateral (
            select was_at from told_start(d.id, r.created_at, seats_of(r.id), zones_of(r.id)) offset 0
        ) m on true
        where s.code_hash = $1
        "#,
        code_hash,
    )
    .fetch_optional(db)
    .await
}
