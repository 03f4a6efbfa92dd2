//! SQL of the subjects of mails.

pub(crate) mod cancelled;
pub(crate) mod office_letters;
pub(crate) mod payouts;
pub(crate) mod performances;
pub(crate) mod sales;
pub(crate) mod shares;

use chrono::{DateTime, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    entry_queue::QueueNumber,
    infra::postgres::Pool,
    points::Points,
    text::{times, translated::Translated},
    tickets::HandOverStatus,
    wallet::TransferStatus,
};

/// Reservation as a mail describes it.
#[derive(Clone, Debug)]
pub(crate) struct ReservedEvent {
    /// Name of its owner.
    pub name: String,
    /// Title of the program.
    pub title: String,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Start that was agreed; `None` where it is the same. An order that was begun before a move and written after it is
    /// told of it by its own mails.
    pub moved_from: Option<DateTime<Utc>>,
    /// Name of the venue.
    pub venue: String,
    /// Time zone of the venue.
    pub time_zone: String,
    /// Price of all seats and places.
    pub total: Points,
    /// End of its hold.
    pub expires_at: DateTime<Utc>,
    /// Word of its code; `None` without one.
    pub code: Option<String>,
    /// Points that the code took off the prices.
    pub discount: Points,
    /// Whether it is held and can be paid.
    pub is_live_hold: bool,
    /// Whether its performance was cancelled alone, and not its program.
    pub is_one_date: bool,
    /// Words of the office about the cancellation of its performance or program.
    pub cancel_texts: Option<Json<Translated<String>>>,
}

/// Seat of a reservation, or places in a zone.
#[derive(Clone, Debug)]
pub(crate) struct ReservedPlace {
    /// Section of the seat; `None` for a zone.
    pub section: Option<String>,
    /// Row of the seat; `None` for a zone.
    pub row_label: Option<String>,
    /// Number of the seat in its row; `None` for a zone.
    pub number: Option<i32>,
    /// Name of the zone; `None` for a seat.
    pub zone: Option<String>,
    /// Number of places; 1 for a seat.
    pub quantity: i32,
    /// Name of its price type; `None` at the ordinary price.
    pub price_type: Option<String>,
}

/// Returns a reservation as a mail describes it; `None` if it does not exist.
pub(crate) async fn find_event(
    db: &Pool,
    reservation_id: Uuid,
) -> Result<Option<ReservedEvent>, sqlx::Error> {
    sqlx::query_as!(
        ReservedEvent,
        r#"
        select a.name, p.title, s.starts_at, v.name as venue, v.time_zone,
            nullif((select was_at from told_move(s.id, r.created_at)), s.starts_at) as moved_from,
            r.total as "total: Points", r.discount as "discount: Points",
            (select word from sale_codes where id = r.sale_code_id) as code, r.expires_at,
            (r.status = 'HELD' and r.expires_at > clock_timestamp()) as "is_live_hold!",
            (s.cancelled_at is not null and p.status <> 'CANCELLED') as "is_one_date!",
            coalesce(s.cancel_texts, p.cancel_texts) as "cancel_texts: Json<Translated<String>>"
        from reservations r
        join accounts a on a.id = r.account_id
        join schedules s on s.id = r.schedule_id
        join programs p on p.id = s.program_id
        join venues v on v.id = s.venue_id
        where r.id = $1
        "#,
        reservation_id,
    )
    .fetch_optional(db)
    .await
}

/// Lists the seats and places of a reservation, in the order of its items.
pub(crate) async fn list_places(
    db: &Pool,
    reservation_id: Uuid,
) -> Result<Vec<ReservedPlace>, sqlx::Error> {
    sqlx::query_as!(
        ReservedPlace,
        r#"
        select s.section as "section?", s.row_label as "row_label?", s.number as "number?",
            z.name as "zone?", i.quantity, t.name as "price_type?"
        from reservation_items i
        left join schedule_seats c on c.id = i.schedule_seat_id
        left join seats s on s.id = c.seat_id
        left join zones z on z.id = i.zone_id
        left join lateral (
            select name, note from price_types where id = i.price_type_id offset 0
        ) t on true
        where i.reservation_id = $1
        order by i.schedule_seat_id, i.id
        "#,
        reservation_id,
    )
    .fetch_all(db)
    .await
}

/// Offer of points as a mail describes it.
#[derive(Clone, Debug)]
pub(crate) struct OfferedPoints {
    /// Name of the sender.
    pub from: String,
    /// Name of the receiver; `None` while no account has confirmed the address.
    pub to: Option<String>,
    /// Address that the sender typed; `None` once it is not kept any more.
    pub address: Option<String>,
    /// Points offered.
    pub amount: Points,
    /// State of the transfer.
    pub status: TransferStatus,
    /// When the transfer expires.
    pub expires_at: DateTime<Utc>,
}

/// Returns a transfer as a mail describes it; `None` if it does not exist.
pub(crate) async fn find_offer(
    db: &Pool,
    transfer_id: Uuid,
) -> Result<Option<OfferedPoints>, sqlx::Error> {
    sqlx::query_as!(
        OfferedPoints,
        r#"
        select s.name as "from", r.name as "to?", t.address, t.amount as "amount: Points",
            t.status as "status: TransferStatus", t.expires_at
        from transfers t
        join accounts s on s.id = t.sender_id
        left join accounts r on r.id = t.receiver_id
        where t.id = $1
        "#,
        transfer_id,
    )
    .fetch_optional(db)
    .await
}

/// Ticket as a mail describes it.
#[derive(Clone, Debug)]
pub(crate) struct TicketTold {
    /// Title of the program.
    pub title: String,
    /// Start of the performance.
    pub starts_at: DateTime<Utc>,
    /// Name of the venue.
    pub venue: String,
    /// Time zone of the venue.
    pub time_zone: String,
    /// Name of the account that has it.
    pub holder: String,
    /// Its seat, or its place in a zone.
    pub place: ReservedPlace,
    /// Words of the office about the cancellation of its performance or program.
    pub cancel_texts: Option<Json<Translated<String>>>,
}

/// Returns a ticket as a mail describes it; `None` if it does not exist.
pub(crate) async fn find_ticket(
    db: &Pool,
    ticket_id: Uuid,
) -> Result<Option<TicketTold>, sqlx::Error> {
    let row = sqlx::query!(
        r#"
        select p.title, d.starts_at, v.name as venue, v.time_zone, a.name as holder,
            s.section as "section?", s.row_label as "row_label?", s.number as "number?",
            z.name as "zone?", pt.name as "price_type?",
            coalesce(d.cancel_texts, p.cancel_texts) as "cancel_texts: Json<Translated<String>>"
        from tickets t
        join accounts a on a.id = t.account_id
        join reservation_items i on i.id = t.reservation_item_id
        join schedules d on d.id = i.schedule_id
        join programs p on p.id = d.program_id
        join venues v on v.id = d.venue_id
        left join schedule_seats c on c.id = i.schedule_seat_id
        left join seats s on s.id = c.seat_id
        left join zones z on z.id = i.zone_id
        left join lateral (
            select name, note from price_types where id = i.price_type_id offset 0
        ) pt on true
        where t.id = $1
        "#,
        ticket_id,
    );
    let row = row.fetch_optional(db).await?;
    Ok(row.map(|row| TicketTold {
        title: row.title,
        starts_at: row.starts_at,
        venue: row.venue,
        time_zone: row.time_zone,
        holder: row.holder,
        place: ReservedPlace {
            section: row.section,
            row_label: row.row_label,
            number: row.number,
            zone: row.zone,
            quantity: 1,
            price_type: row.price_type,
        },
        cancel_texts: row.cancel_texts,
    }))
}

/// Hand-over as a mail describes it.
#[derive(Clone, Debug)]
pub(crate) struct HandOverTold {
    /// Id of the ticket.
    pub ticket_id: Uuid,
    /// Name of the sender.
    pub from: String,
    /// Name of the recipient; `None` if no account has the address.
    pub to: Option<String>,
    /// State of the hand-over.
    pub status: HandOverStatus,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Returns a hand-over as a mail describes it; `None` if it does not exist.
pub(crate) async fn find_hand_over(
    db: &Pool,
    hand_over_id: Uuid,
) -> Result<Option<HandOverTold>, sqlx::Error> {
    sqlx::query_as!(
        HandOverTold,
        r#"
        select h.ticket_id, s.name as "from", r.name as "to?",
            h.status as "status: HandOverStatus", h.expires_at
        from ticket_hand_overs h
        join accounts s on s.id = h.sender_id
        left join accounts r on r.id = h.recipient_id
        where h.id = $1
        "#,
        hand_over_id,
    )
    .fetch_optional(db)
    .await
}

/// How far a turn in a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum TurnStage {
    /// The account waits.
    Near,
    /// The account is admitted.
    Come,
    /// The account was silent when its number came up, and goes in when it returns.
    Missed,
}

/// Turn in a queue as a mail describes it.
#[derive(Clone, Debug)]
pub(crate) struct QueuedTurn {
    /// Name of the account.
    pub name: String,
    /// Title of the program.
    pub title: String,
    /// Name of the program in addresses.
    pub slug: String,
    /// Time zone in which the program's times are shown.
    pub time_zone: String,
    /// Arrival order of the token.
    pub queue_number: QueueNumber,
    /// How far the turn is; `None` if it is over, or nothing is sold any more.
    pub stage: Option<TurnStage>,
    /// Until when a hold may start; `None` unless the account is admitted.
    pub stay_ends_at: Option<DateTime<Utc>>,
}

/// Returns a turn as a mail describes it at this moment; `None` if there is no such token.
pub(crate) async fn find_turn(
    db: &Pool,
    token_id: Uuid,
) -> Result<Option<QueuedTurn>, sqlx::Error> {
    sqlx::query_as!(
        QueuedTurn,
        r#"
        select a.name, p.title, p.slug, t.queue_number as "queue_number: QueueNumber",
            coalesce((
                select time_zone from schedules join venues on venues.id = venue_id
                where program_id = p.id
                order by starts_at limit 1
            ), $2) as "time_zone!",
            case
                when p.status <> 'PUBLISHED' or dates_left(p.id) <> 'SOME'
                    or clock_timestamp() > p.off_sale_at
                    or clock_timestamp() < p.on_sale_at and t.gate_id is null then null
                when t.status = 'WAITING' and t.parked_at is null then 'NEAR'
                when t.status = 'WAITING' then 'MISSED'
                when t.status = 'ACTIVE' and t.stay_ends_at > clock_timestamp() then 'COME'
            end as "stage: TurnStage",
            case when t.status = 'ACTIVE' then t.stay_ends_at end as stay_ends_at
        from queue_tokens t
        join accounts a on a.id = t.account_id
        join programs p on p.id = t.program_id
        where t.id = $1
        "#,
        token_id,
        times::home().name(),
    )
    .fetch_optional(db)
    .await
}
