//! Checks whether a database holds demo data, other data, or an open demo account; and what is counted anew.

use crate::infra::postgres::{Connection, Pool};

/// Whether all of `emails` have accounts; accounts are never deleted.
pub(crate) async fn has_all_log_ins(
    tx: &mut Connection,
    emails: &[&str],
) -> Result<bool, sqlx::Error> {
    // The lock makes a second run wait for the first, and prevents sign-ups until the end of the
    // transaction.
    sqlx::query!("lock table accounts, venues in share row exclusive mode")
        .execute(&mut *tx)
        .await?;
    sqlx::query_scalar!(
        r#"
        select count(*) = cardinality($1::text[]) as "is!"
        from accounts where email = any($1)
        "#,
        emails as _,
    )
    .fetch_one(tx)
    .await
}

/// Whether any account, program or venue exists that no demo wrote.
pub(crate) async fn has_others(
    tx: &mut Connection,
    emails: &[&str],
    slugs: &[String],
    halls: &[&str],
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (select from accounts
                where email <> all($1::text[])
                    and email !~ '^(guest-[0-9]+|visitor-[0-9]+-[0-9]+)@stagedoor[.]example$')
            or exists (select from programs
                where slug <> all($2::text[]) and slug !~ '^season-[0-9]+$')
            or exists (select from venues
                where name <> all($3::text[]) and name !~ '^Season Hall [0-9]+$') as "has!"
        "#,
        emails as _,
        slugs as _,
        halls as _,
    )
    .fetch_one(tx)
    .await
}

/// Whether any of `emails` has an account that is not locked.
pub(crate) async fn has_open(db: &Pool, emails: &[String]) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select exists (
            select from accounts where email = any($1) and locked_at is null
        ) as "has!"
        "#,
        emails,
    )
    .fetch_one(db)
    .await
}

/// Lets all sales be counted and booked anew: the demo's were made on earlier days, up to which an instance may have
/// counted. Waits for a count that is running.
pub(crate) async fn count_sales_anew(tx: &mut Connection) -> Result<(), sqlx::Error> {
    sqlx::query!("update daily_sales_progress set counted_until = counted_from")
        .execute(&mut *tx)
        .await?;
    sqlx::query!("delete from daily_sales").execute(&mut *tx).await?;
    sqlx::query!("update receipt_progress set booked_until = '2000-01-01Z'").execute(tx).await?;
    Ok(())
}
