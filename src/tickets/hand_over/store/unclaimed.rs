//! SQL of tickets that wait at addresses without an account.

use crate::{
    accounts::Email,
    catalog::{ScheduleId, ScheduleSeatId, ZoneId},
    infra::postgres::Connection,
    text::i18n::Locale,
    tickets::hand_over::model::HandOverId,
};

/// Offer of a ticket to an address that no account has confirmed.
#[derive(Clone, Debug)]
pub struct UnclaimedOffer {
    /// Id of the hand-over.
    pub id: HandOverId,
    /// Address.
    pub address: Email,
    /// Language of the sender.
    pub locale: Locale,
}

impl UnclaimedOffer {
    /// Returns the offer of a row; `None` for an address of a rehearsal, which ends with `.invalid`.
    pub(super) fn of(id: HandOverId, address: &str, locale: &str) -> Option<Self> {
        let address = Email::parse(address)?;
        let is_real = !address.as_str().ends_with(".invalid");
        let locale = Locale::parse(locale).unwrap_or_default();
        is_real.then_some(Self { id, address, locale })
    }
}

/// Lists the tickets of a locked performance, of one of its zones or of some of its seats, that wait at addresses
/// without an account.
pub async fn list_of_performance(
    tx: &mut Connection,
    id: ScheduleId,
    (zone_id, seat_ids): (Option<ZoneId>, Option<&[ScheduleSeatId]>),
) -> Result<Vec<UnclaimedOffer>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"
        select h.id as "id: HandOverId", h.address as "address!",
            coalesce(a.mail_locale, a.locale) as "locale!"
        from (
            select id from reservations where schedule_id = $1 and status = 'CONFIRMED' offset 0
        ) r
        cross join lateral (
            select id from reservation_items
            where reservation_id = r.id and ($2::uuid is null or zone_id = $2)
                and ($3::bigint[] is null or schedule_seat_id = any($3))
            offset 0
        ) i
        cross join lateral (
            select id from tickets where reservation_item_id = i.id and status = 'VALID' offset 0
        ) t
        cross join lateral (
            select id, address, sender_id, recipient_id from ticket_hand_overs
            where ticket_id = t.id and status = 'PENDING' and expires_at > clock_timestamp()
            offset 0
        ) h
        cross join lateral (select locale, mail_locale from accounts where id = h.sender_id offset 0) a
        where h.recipient_id is null
        "#,
        id as _,
        zone_id as _,
        seat_ids as _,
    )
    .fetch_all(tx)
    .await?;
    let offers = rows.into_iter();
    Ok(offers.filter_map(|row| UnclaimedOffer::of(row.id, &row.address, &row.locale)).collect())
}
