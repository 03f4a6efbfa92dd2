//! SQL that makes, ends and sells returns. Callers have locked its seat or zone.

use uuid::Uuid;

use crate::{
    catalog::ScheduleSeatId,
    events::EventId,
    infra::postgres::Connection,
    points::Points,
    reservation::{
        model::{ReservationItemId, ReturnId, SeatStatus},
        returns::model::{HouseCause, NewReturn, ReturnStatus, TicketPlace},
    },
};

/// Inserts returns: open ones, or ones that the house has at once for a `cause`.
pub(in crate::reservation::returns) async fn insert(
    tx: &mut Connection,
    new: &[NewReturn],
    cause: Option<HouseCause>,
) -> Result<(), sqlx::Error> {
    let exchange_id = match cause {
        Some(HouseCause::Exchange(id)) => Some(id),
        Some(HouseCause::Refund) | None => None,
    };
    let of = |place: fn(&TicketPlace) -> Uuid| -> Vec<Uuid> {
        new.iter().map(|each| place(&each.place)).collect()
    };
    let seats: Vec<_> = new.iter().map(|each| each.place.schedule_seat_id).collect();
    let zones: Vec<_> = new.iter().map(|each| each.place.zone_id).collect();
    let percents: Vec<i32> = new.iter().map(|each| each.fee_percent).collect();
    let prices: Vec<Points> = new.iter().map(|each| each.price).collect();
    let payouts: Vec<Points> = new.iter().map(|each| each.payout).collect();
    sqlx::query!(
        r#"
        insert into ticket_returns (id, ticket_id, reservation_item_id, reservation_id, schedule_id,
            schedule_seat_id, zone_id, seller_id, payment_id, price, fee_percent, payout, to_house, exchange_id,
            status, settled_at)
        select id, ticket_id, item_id, reservation_id, schedule_id, seat_id, zone_id, seller_id, payment_id, price,
            fee_percent, payout, $13, $14,
            case when $13 then 'SOLD' else 'OPEN' end, case when $13 then clock_timestamp() end
        from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::uuid[],
                $8::uuid[], $9::uuid[], $10::bigint[], $11::integer[], $12::bigint[])
            as new (id, ticket_id, item_id, reservation_id, schedule_id, seat_id, zone_id, seller_id, payment_id,
                price, fee_percent, payout)
        "#,
        &new.iter().map(|each| each.id.0).collect::<Vec<_>>(),
        &of(|place| place.ticket_id),
        &of(|place| place.item_id.0),
        &of(|place| place.reservation_id.0),
        &of(|place| place.schedule_id.0),
        seats as _,
        zones as _,
        &new.iter().map(|each| each.seller_id.0).collect::<Vec<_>>(),
        &new.iter().map(|each| each.payment_id).collect::<Vec<_>>(),
        prices as _,
        &percents,
        payouts as _,
        cause.is_some(),
        exchange_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Puts a locked, sold seat on sale at the price of its return; returns the number written.
pub(in crate::reservation::returns) async fn write_on_return(
    tx: &mut Connection,
    id: ScheduleSeatId,
    new: &NewReturn,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update schedule_seats
        set status = free_status(hidden_at), return_id = $2, price_after = price, price = $3,
            version = version + 1, changed_xid = pg_current_xact_id()
        where id = $1 and status = 'RESERVED' and return_id is null
        "#,
        id as _,
        new.id as _,
        new.price as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Takes the seats of ended returns off return, with the status `status` and at their own prices;
/// returns the number written.
pub(in crate::reservation::returns) async fn write_off_return(
    tx: &mut Connection,
    ids: &[ReturnId],
    status: SeatStatus,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        with locked as materialized (
            select id from schedule_seats
            where return_id = any($1) and return_id is not null
            order by id for no key update
        )
        update schedule_seats s
        set status = $2, return_id = null, price = s.price_after, price_after = null,
            version = s.version + 1, changed_xid = pg_current_xact_id()
        from locked
        where s.id = locked.id
        "#,
        ids as _,
        status as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Ends open returns, and writes the events about sold ones if a webhook endpoint asks for them;
/// returns the number written. The items of the buyers still await them.
pub(in crate::reservation::returns) async fn write_ended(
    tx: &mut Connection,
    ids: &[ReturnId],
    status: ReturnStatus,
) -> Result<u64, sqlx::Error> {
    let n_written = sqlx::query_scalar!(
        r#"
        with ended as (
            update ticket_returns set status = $2, settled_at = clock_timestamp()
            where id = any($1) and status = 'OPEN'
            returning id, ticket_id, reservation_id, schedule_id, price, payout,
                ($3::uuid[])[array_position($1, id)] as event_id
        ), told as (
            insert into domain_events (id, subject_id, kind, payload)
            select event_id, ticket_id, 'ticket.resold', jsonb_build_object(
                'ticket_id', ticket_id, 'reservation_id', reservation_id, 'program_id', program_id,
                'schedule_id', schedule_id, 'price', price, 'payout', payout,
                'buyer_reservation_id', (
                    select reservation_id from reservation_items
                    where return_id = ended.id and awaits_return))
            from ended
            cross join lateral (
                select program_id from reservations where id = ended.reservation_id offset 0
            ) its
            where $2 = 'SOLD'
                and exists (
                    select from webhook_endpoints
                    where deleted_at is null and kinds @> array['ticket.resold'])
                and not is_throwaway(program_id)
        )
        select count(*) as "n!" from ended
        "#,
        ids as _,
        status as _,
        EventId::new_ids(ids.len()) as _,
    )
    .fetch_one(tx)
    .await?;
    Ok(n_written.unsigned_abs())
}

/// Counts resold places at live items, one for each entry of `item_ids`; returns the number of
/// items written. An item without a remaining place is no longer live.
pub(in crate::reservation::returns) async fn write_items_sold(
    tx: &mut Connection,
    item_ids: &[ReservationItemId],
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update reservation_items i
        set returned = i.returned + sold.places, live = i.returned + sold.places < i.quantity
        from (
            select item_id, count(*)::integer as places
            from unnest($1::uuid[]) as s (item_id)
            group by item_id
        ) sold
        where i.id = sold.item_id and i.live
        "#,
        item_ids as _,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Ends the waiting of items for returns; returns the number written. Items that are `bought` are
/// live from then on. The holds of the others end, and no place becomes free with them.
pub(in crate::reservation::returns) async fn write_awaited(
    tx: &mut Connection,
    ids: &[ReturnId],
    bought: bool,
) -> Result<u64, sqlx::Error> {
    let written = sqlx::query!(
        r#"
        update reservation_items set live = $2, awaits_return = false
        where return_id = any($1) and awaits_return
        "#,
        ids as _,
        bought,
    )
    .execute(tx)
    .await?;
    Ok(written.rows_affected())
}

/// Records that the seller of an open return wants it back, unless it is recorded.
pub(in crate::reservation::returns) async fn write_wanted_back(
    tx: &mut Connection,
    id: ReturnId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update ticket_returns set wanted_back_at = clock_timestamp()
        where id = $1 and status = 'OPEN' and wanted_back_at is null
        "#,
        id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Numbers of rows written when holds were given places.
pub(in crate::reservation::returns) struct WrittenGift {
    pub(in crate::reservation::returns) n_items: i64,
    pub(in crate::reservation::returns) n_seats: i64,
}

/// Gives the free places of the ended returns `ids` to the locked holds that await them: their
/// items become live, at their prices, and the seats are held. No code covers them, as before.
pub(in crate::reservation::returns) async fn write_given(
    tx: &mut Connection,
    ids: &[ReturnId],
) -> Result<WrittenGift, sqlx::Error> {
    sqlx::query_as!(
        WrittenGift,
        r#"
        with given as (
            update reservation_items
            set live = true, awaits_return = false, return_id = null, was_on_return = true
            where return_id = any($1) and awaits_return
            returning reservation_id, schedule_seat_id
        ), free as (
            select s.id, s.version from schedule_seats s
            where s.id = any(array(select schedule_seat_id from given)) and is_free(s.status)
            order by s.id
            for no key update of s
        ), seats as (
            update schedule_seats s
            set status = 'HELD', version = s.version + 1, changed_xid = pg_current_xact_id()
            from free
            where s.id = free.id and s.version = free.version
            returning s.id
        ), locked as (
            select r.id, r.version from reservations r
            where r.id = any(array(select reservation_id from given))
            order by r.id
            for no key update of r
        ), holds as (
            update reservations r
            set version = r.version + 1, buys_return = exists (
                select from reservation_items
                where reservation_id = r.id and awaits_return and return_id <> all($1))
            from locked
            where r.id = locked.id and r.version = locked.version
        )
        select (select count(*) from given) as "n_items!", (select count(*) from seats) as "n_seats!"
        "#,
        ids as _,
    )
    .fetch_one(tx)
    .await
}
