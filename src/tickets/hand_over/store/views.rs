//! SQL of hand-overs as they are shown.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use sqlx::PgExecutor;

use crate::{
    accounts::AccountId,
    infra::postgres::Pool,
    tickets::{
        hand_over::model::{HandOver, HandOverId, HandOverStatus, TicketHolder},
        model::{TicketCode, TicketId},
    },
};

/// Offers of one page.
const OFFERS_SHOWN_MAX: i64 = 100;

/// Returns a hand-over if `account_id` is its sender or recipient.
pub(crate) async fn find_hand_over(
    db: &Pool,
    account_id: AccountId,
    id: HandOverId,
) -> Result<Option<HandOver>, sqlx::Error> {
    sqlx::query_as!(
        HandOver,
        r#"
        select h.id as "id: _", h.ticket_id as "ticket_id: _", h.sender_id as "sender_id: _",
               s.name as "from",
               case when h.status = 'ACCEPTED' then r.name end as "to",
               case when h.sender_id = $1 then h.address end as address,
               case when h.status = 'PENDING' and h.expires_at <= clock_timestamp()
                    then 'EXPIRED' else h.status end as "status!: HandOverStatus",
               h.expires_at, h.settled_at, h.created_at
        from ticket_hand_overs h
        join accounts s on s.id = h.sender_id
        left join accounts r on r.id = h.recipient_id
        where h.id = $2 and (h.sender_id = $1 or h.recipient_id = $1)
        "#,
        account_id as _,
        id as _,
    )
    .fetch_optional(db)
    .await
}

/// Pending hand-over of a ticket, as its holder sees it.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub(crate) struct PendingOffer {
    pub hand_over_id: HandOverId,
    /// Address that the holder typed.
    pub to: String,
    pub expires_at: DateTime<Utc>,
}

/// Returns the pending hand-over of a ticket; `None` without one, or if it has passed its end.
pub(crate) async fn find_pending(
    db: &Pool,
    ticket_id: TicketId,
) -> Result<Option<PendingOffer>, sqlx::Error> {
    sqlx::query_as!(
        PendingOffer,
        r#"
        select id as "hand_over_id: HandOverId", address as "to!", expires_at
        from ticket_hand_overs
        where ticket_id = $1 and status = 'PENDING' and expires_at > clock_timestamp()
        "#,
        ticket_id as _,
    )
    .fetch_optional(db)
    .await
}

/// Lists the former and present holders of a ticket, oldest first: from the purchase to the
/// hand-over `last`, or to the present.
pub(crate) async fn list_holders(
    db: &Pool,
    ticket_id: TicketId,
    last: Option<HandOverId>,
) -> Result<Vec<TicketHolder>, sqlx::Error> {
    sqlx::query_as!(
        TicketHolder,
        r#"
        select name as "name!", since as "since!"
        from (
            select 0 as number, a.name, t.created_at as since
            from tickets t
            join reservation_items i on i.id = t.reservation_item_id
            join reservations r on r.id = i.reservation_id
            join accounts a on a.id = coalesce((
                select s.payer_id
                from share_places p
                join shares s on s.id = p.share_id
                where p.reservation_item_id = t.reservation_item_id and p.number = t.number
                    and p.live and s.status = 'PAID'), r.account_id)
            where t.id = $1
            union all
            select c.number, a.name, c.changed_at
            from ticket_holder_changes c
            join ticket_hand_overs h on h.id = c.hand_over_id
            join accounts a on a.id = h.recipient_id
            where c.ticket_id = $1 and c.number <= coalesce(
                (select number from ticket_holder_changes where hand_over_id = $2), c.number)
        ) holders
        order by number
        "#,
        ticket_id as _,
        last as _,
    )
    .fetch_all(db)
    .await
}

/// Pending hand-over, as its recipient sees it.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub(crate) struct ReceivedOffer {
    pub hand_over_id: HandOverId,
    /// Name of the sender.
    pub from: String,
    pub title: String,
    pub starts_at: DateTime<Utc>,
    #[serde(skip)]
    pub time_zone: String,
    pub expires_at: DateTime<Utc>,
}

/// Lists the pending hand-overs to an account, soonest expiry first.
pub(crate) async fn list_received(
    db: &Pool,
    account_id: AccountId,
) -> Result<Vec<ReceivedOffer>, sqlx::Error> {
    sqlx::query_as!(
        ReceivedOffer,
        r#"
        select h.id as "hand_over_id: HandOverId", s.name as "from", p.title, d.starts_at,
               v.time_zone, h.expires_at
        from (
            select id, ticket_id, sender_id, expires_at from ticket_hand_overs
            where recipient_id = $1 and status = 'PENDING' and expires_at > clock_timestamp()
            order by id limit $2
        ) h
        join accounts s on s.id = h.sender_id
        join tickets t on t.id = h.ticket_id
        join reservation_items i on i.id = t.reservation_item_id
        join reservations r on r.id = i.reservation_id
        join programs p on p.id = r.program_id
        join schedules d on d.id = r.schedule_id
        join venues v on v.id = d.venue_id
        order by h.expires_at, h.id
        "#,
        account_id as _,
        OFFERS_SHOWN_MAX,
    )
    .fetch_all(db)
    .await
}

/// Returns the hand-over that replaced a code; `None` if there is none.
pub(crate) async fn find_replacement(
    db: impl PgExecutor<'_>,
    code: &TicketCode,
) -> Result<Option<HandOverId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select hand_over_id as "id: HandOverId" from ticket_holder_changes
        where code_hash = sha256(convert_to($1, 'UTF8'))
        "#,
        code.as_str(),
    )
    .fetch_optional(db)
    .await
}
