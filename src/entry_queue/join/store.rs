//! SQL of a batch of joins; each statement serves the whole batch.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use sqlx::{Row, postgres::PgRow, types::Json};

use crate::{
    accounts::AccountId,
    catalog::ProgramId,
    entry_queue::{
        admission::store::Admission,
        join::{model::Standing, rows::NewRows},
        model::{Bucket, QueueNumber, TokenId},
        rules::Rules,
    },
    infra::postgres::{Connection, OpeningCall},
    setbacks::model::SetbackId,
};

/// Locks the program's row of numbers and returns the next number. The first join of a program
/// inserts the row.
pub(crate) async fn lock_next_number(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<QueueNumber, sqlx::Error> {
    if let Some(number) = find_next_number(tx, program_id).await? {
        return Ok(number);
    }
    sqlx::query!(
        "insert into queue_numbers (program_id) values ($1) on conflict do nothing",
        program_id as _,
    )
    .execute(&mut *tx)
    .await?;
    find_next_number(tx, program_id).await?.ok_or(sqlx::Error::RowNotFound)
}

/// Has the next join of a program get the number after `last`, and keeps that the numbers from `first` to `last` were given
/// before its database went back. Call it after [`lock_next_number`], which returned `first`.
pub(crate) async fn skip_numbers(
    tx: &mut Connection,
    program_id: ProgramId,
    first: QueueNumber,
    last: i64,
    setback_id: SetbackId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_numbers set next_number = $2::bigint + 1 where program_id = $1",
        program_id as _,
        last,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "insert into queue_number_gaps (program_id, first, last, setback_id) values ($1, $2, $3, $4)",
        program_id as _,
        first as _,
        last,
        setback_id as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

async fn find_next_number(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<QueueNumber>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"
        select next_number as "number: QueueNumber"
        from queue_numbers
        where program_id = $1
        for update
        "#,
        program_id as _,
    )
    .fetch_optional(tx)
    .await
}

/// Row that a batch of joins has locked, and what was read behind the lock.
#[derive(Debug)]
pub(crate) struct LockedNumbers {
    /// Next number.
    pub next: QueueNumber,
    /// Tokens that an earlier attempt has written.
    pub written: HashSet<TokenId>,
    pub rules: Rules,
    /// Standings, as [`lock_joining`] returns them; `None` where a draw is to be closed before the
    /// accounts are locked.
    pub joining: Option<Vec<(AccountId, Standing)>>,
    /// Gate of a program that admits by capacity or rate and in which no account waits; `None` for other
    /// programs, and where another transaction has the gate.
    pub gate: Option<LockedGate>,
}

/// Gate that a batch of joins has locked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockedGate {
    pub bucket: Bucket,
    /// Tokens that no access gate admitted and that are `ACTIVE`.
    pub n_inside: i64,
    /// Whether stays of these tokens have run out, which an admission ends.
    pub has_lapsed: bool,
}

/// Account that joins, as a function of the database returns it.
#[derive(Deserialize)]
struct Joining {
    account_id: AccountId,
    is_in: bool,
    has_ended: bool,
}

/// Returns the call that locks the program's row of numbers, its gate if the joins may pass it, and the
/// `accounts`, and reads which of `tokens` exist.
pub(crate) fn locks_for(
    program_id: ProgramId,
    accounts: &[AccountId],
    tokens: &[TokenId],
) -> OpeningCall {
    OpeningCall::of("lock_joins_at_gate")
        .id(program_id.0)
        .ids(accounts.iter().map(|account_id| account_id.0))
        .ids(tokens.iter().map(|token_id| token_id.0))
}

impl LockedNumbers {
    /// Reads the row that the call of [`locks_for`] returned; `None` where the program has no row of
    /// numbers yet.
    pub(crate) fn read(row: &PgRow) -> Result<Option<Self>, sqlx::Error> {
        let Some(next) = row.try_get("number")? else { return Ok(None) };
        let written: Vec<TokenId> = row.try_get("written")?;
        let Json(rules) = row.try_get("rules")?;
        let joining: Option<Json<Vec<Joining>>> = row.try_get("joining")?;
        let joining = joining.map(|Json(joining)| standings_of(&joining));
        let gate = match row.try_get("level")? {
            None => None,
            Some(level) => Some(LockedGate {
                bucket: Bucket { level, refilled_at: row.try_get("refilled_at")? },
                n_inside: row.try_get("n_inside")?,
                has_lapsed: row.try_get("has_lapsed")?,
            }),
        };
        Ok(Some(Self { next, written: written.into_iter().collect(), rules, joining, gate }))
    }
}

/// Returns the `accounts` that are not deleted, each with its standing: whether it has a live token or,
/// where `has_entries` says that its draw is not over, an entry. None of them is deleted before the
/// transaction ends. Call it after [`lock_next_number`].
pub(crate) async fn lock_joining(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
    has_entries: bool,
) -> Result<Vec<(AccountId, Standing)>, sqlx::Error> {
    let Json(joining) = sqlx::query_scalar!(
        r#"select joining as "joining!: Json<Vec<Joining>>" from lock_joining($1, $2, $3)"#,
        program_id as _,
        accounts as _,
        has_entries,
    )
    .fetch_one(tx)
    .await?;
    Ok(standings_of(&joining))
}

fn standings_of(joining: &[Joining]) -> Vec<(AccountId, Standing)> {
    let standing = |each: &Joining| match (each.is_in, each.has_ended) {
        (true, _) => Standing::In,
        (false, true) => Standing::Ended,
        (false, false) => Standing::Out,
    };
    joining.iter().map(|each| (each.account_id, standing(each))).collect()
}

/// Ends the stays of `accounts` that have run out, so that they can be given new tokens. Waits for
/// transactions that hold these tokens locked.
pub(crate) async fn end_stays(
    tx: &mut Connection,
    program_id: ProgramId,
    accounts: &[AccountId],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"
        update queue_tokens set status = 'EXPIRED', ended_at = clock_timestamp()
        where program_id = $1 and account_id = any($2)
            and status = 'ACTIVE' and expires_at <= clock_timestamp() and is_office_awake()
            and not is_clock_stopped($1)
        "#,
        program_id as _,
        accounts as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Inserts the tokens `new` with numbers from `first` on, in their order, and writes the number after
/// them. With `stay_ends_at` they are admitted at once, behind the lock of the gate.
pub(crate) async fn write_joins(
    tx: &mut Connection,
    program_id: ProgramId,
    new: &NewRows,
    first: QueueNumber,
    stay_ends_at: Option<DateTime<Utc>>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select from write_joins($1, $2, $3, $4, $5, $6, $7, $8)",
        program_id as _,
        new.tokens.as_slice() as _,
        new.accounts.as_slice() as _,
        first as _,
        stay_ends_at,
        new.networks.as_deref() as _,
        &new.commitments,
        new.gates.as_deref() as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Inserts the tokens `new` as [`write_joins`] does, and admits the first `n_admitted` of them behind the
/// lock of the gate, whose bucket becomes `bucket` where a rate limits it.
pub(crate) async fn write_joins_at_gate(
    tx: &mut Connection,
    program_id: ProgramId,
    new: &NewRows,
    first: QueueNumber,
    n_admitted: i32,
    admission: &Admission,
    bucket: Option<Bucket>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select from write_joins_at_gate($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        program_id as _,
        new.tokens.as_slice() as _,
        new.accounts.as_slice() as _,
        first as _,
        new.networks.as_deref() as _,
        &new.commitments,
        new.gates.as_deref() as _,
        n_admitted,
        admission.stay_ends_at,
        admission.n_inside,
        admission.capacity,
        bucket.map(|bucket| bucket.level),
        bucket.map(|bucket| bucket.refilled_at),
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(crate) async fn write_next_number(
    tx: &mut Connection,
    program_id: ProgramId,
    next: QueueNumber,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update queue_numbers set next_number = $2 where program_id = $1",
        program_id as _,
        next as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}
