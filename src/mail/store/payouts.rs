//! SQL of money that goes back to cards, as mails describe it.

use uuid::Uuid;

use crate::{infra::postgres::Pool, points::Points, wallet::charges::payouts::model::shown};

/// Payout that failed.
pub(crate) struct FailedPayout {
    /// Name of the account.
    pub name: String,
    /// Points that came back.
    pub points: Points,
    amount_minor: i64,
    currency: String,
}

impl FailedPayout {
    /// Returns the amount as people read it.
    pub(crate) fn money(&self) -> String {
        shown(self.amount_minor, &self.currency)
    }
}

/// Returns a payout; `None` if it has not failed.
pub(crate) async fn find(db: &Pool, id: Uuid) -> Result<Option<FailedPayout>, sqlx::Error> {
    sqlx::query_as!(
        FailedPayout,
        r#"
        select a.name as "name!", p.points as "points!: Points", p.amount_minor as "amount_minor!",
            c.currency as "currency!"
        from (select * from payouts where id = $1 and status = 'FAILED' limit 1) p
        cross join lateral (select account_id, currency from charges where id = p.charge_id limit 1) c
        cross join lateral (select name from accounts where id = c.account_id limit 1) a
        "#,
        id,
    )
    .fetch_optional(db)
    .await
}

/// Returns the money of a refunded reservation that goes back to its owner's cards; `None` without any.
pub(crate) async fn money_to_owner(
    db: &Pool,
    reservation_id: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    let sums = sqlx::query_as!(
        SentSum,
        r#"
        select sum(p.amount_minor)::bigint as "minor!", c.currency as "currency!"
        from (select account_id from reservations where id = $1 limit 1) r
        cross join lateral (
            select charge_id, amount_minor from payouts
            where reservation_id = $1 and status <> 'FAILED' offset 0
        ) p
        cross join lateral (select account_id, currency from charges where id = p.charge_id limit 1) c
        where c.account_id = r.account_id
        group by c.currency
        "#,
        reservation_id,
    );
    Ok(sentence(&sums.fetch_all(db).await?))
}

/// Returns the money of a refunded reservation that goes back to the cards of the payer of a share; `None` without
/// any.
pub(crate) async fn money_to_payer(
    db: &Pool,
    share_id: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    let sums = sqlx::query_as!(
        SentSum,
        r#"
        select sum(p.amount_minor)::bigint as "minor!", c.currency as "currency!"
        from (select reservation_id, payer_id from shares where id = $1 limit 1) s
        cross join lateral (
            select charge_id, amount_minor from payouts
            where reservation_id = s.reservation_id and status <> 'FAILED' offset 0
        ) p
        cross join lateral (select account_id, currency from charges where id = p.charge_id limit 1) c
        where c.account_id = s.payer_id
        group by c.currency
        "#,
        share_id,
    );
    Ok(sentence(&sums.fetch_all(db).await?))
}

/// Money in one currency.
struct SentSum {
    minor: i64,
    currency: String,
}

fn sentence(sums: &[SentSum]) -> Option<String> {
    let money: Vec<String> = sums.iter().map(|sum| shown(sum.minor, &sum.currency)).collect();
    (!money.is_empty()).then(|| money.join(" + "))
}
