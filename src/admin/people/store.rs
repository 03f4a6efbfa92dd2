//! SQL of one account's timeline.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;

use crate::{accounts::AccountId, infra::postgres::Pool};

/// Bound on moments read of each kind, and on moments shown of all kinds.
const MOMENTS_MAX: i64 = 200;

/// Moment of an account's timeline.
#[derive(Clone, Debug, serde::Serialize, JsonSchema)]
pub(crate) struct AccountEvent {
    pub at: DateTime<Utc>,
    /// Kind of moment.
    pub what: String,
    /// Program title, kind of points, or name of an act.
    pub subject: String,
    /// Queue number, total in points, or signed points; `None` if it has none.
    pub amount: Option<i64>,
    /// Id to look it up by.
    pub reference: Option<String>,
    /// Name of the administrator; `None` for moments that are no act.
    pub who: Option<String>,
}

/// Lists the latest moments of an account: queues, reservations, points, tickets, and acts done
/// to it.
pub(crate) async fn list_moments(
    db: &Pool,
    account_id: AccountId,
) -> Result<Vec<AccountEvent>, sqlx::Error> {
    sqlx::query_as!(
        AccountEvent,
        r#"
        with tokens as (
            select t.*, p.title from queue_tokens t join programs p on p.id = t.program_id
            where t.account_id = $1 order by t.issued_at desc limit $2
        ), bookings as (
            select r.*, p.title from reservations r join programs p on p.id = r.program_id
            where r.account_id = $1 order by r.id desc limit $2
        ), moments as (
            select issued_at as at, 'joined' as what, title as subject, queue_number as amount,
                program_id::text as reference, null as who from tokens
            union all
            select admitted_at, 'admitted', title, queue_number, program_id::text, null from tokens
                where admitted_at is not null
            union all
            select ended_at, 'left-' || lower(status), title, queue_number, program_id::text, null
                from tokens where ended_at is not null
            union all
            select created_at, 'held', title, total, id::text, null from bookings
            union all
            select settled_at, 'ended-' || lower(status), title, total, id::text, null
                from bookings where settled_at is not null
            union all
            (select e.created_at, 'points', e.kind, e.amount, e.reference_id::text, null
                from wallets w join point_transactions e on e.wallet_id = w.id
                where w.account_id = $1 order by e.wallet_version desc limit $2)
            union all
            (select used_at, 'let-in', right(code, 6), null, id::text, null from tickets
                where account_id = $1 and used_at is not null order by id desc limit $2)
            union all
            (select acted_at, 'act', act, null, id::text,
                    (select name from accounts where id = audit_log.account_id)
                from audit_log
                where subject_id = $1::uuid::text order by id desc limit $2)
        )
        select at as "at!", what as "what!", subject as "subject!", amount, reference, who
        from moments order by at desc limit $2
        "#,
        account_id as _,
        MOMENTS_MAX,
    )
    .fetch_all(db)
    .await
}
