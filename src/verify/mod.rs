//! The verifier: checks every invariant of the product against the live data.
//!
//! An **invariant** is a condition that must hold at every moment; a **check failure** is a row
//! that breaks one; a **violation** is a check failure with its invariant.
//!
//! # Invariants
//!
//! - [`verify()`] writes nothing and locks nothing: it may run during a sale.
//! - All checks within one database run in one snapshot, so that a change half done is never
//!   reported.
//! - The memory used does not grow with the data: at most [`FAILURES_MAX`] failures of a kind are
//!   kept, and one more says that there are more.
//!
//! # Concurrency
//!
//! State that is still moving (a hold whose end has just come, a queue in Redis that follows
//! PostgreSQL) is read three times, two seconds apart, and only what was wrong each time is
//! reported. A queue that Redis has lost and not rebuilt yet is not compared.

mod error;
pub(crate) mod invariant;
pub(crate) mod store;

pub use error::VerifyError;
pub use invariant::{Invariant, Violation};

use std::time::{Duration, Instant};

use self::{
    invariant::{
        CheckFailure,
        Invariant::{
            CapacityHolds, ConfirmedAddsUp, ConfirmedIsPaidOnce, HistoryIsAChain, HoldEndIsFixed,
            HoldsBeginInside, LocksEnd, MovementsHaveTwoSides, NoIdleTransaction,
            NoPaymentStandsAlone, NumbersAreWhole, OnePlaceEach, PaidHasTickets,
            PointsAreConserved, RedisAgrees, RedisIsComplete, RefundsAsAgreed, RequestKeysHold,
            SeatIsLiveOnce, SeatsAgreeWithItems, TransfersEnd, TransfersMatchEntries,
            TransfersMatchHistory, WalletsSumUp, ZonesAgreeWithItems,
        },
    },
    store::{agreements, queue, sale, seats, server, wallet},
};
use crate::{
    entry_queue::{self, Difference, Positions},
    infra::{
        locks,
        postgres::{self, Connection, Pool},
        redis::Redis,
    },
};

/// Upper bound of reported failures of one kind; one more only says that there are more.
pub const FAILURES_MAX: usize = 50;
/// Row limit of a query: one more than is reported, to detect that there are more.
const ROWS_MAX: i64 = 51;
/// Upper bound of queue differences that are read again; larger than what is reported, because most
/// are gone at the next read.
const DIFFERENCES_MAX: usize = 10_000;
/// `application_name` of the verifier; `is_served` must not count this connection as an instance.
const APPLICATION_NAME: &str = "stagedoor verify";
/// Number of reads of moving state.
const LOOKS: usize = 3;
/// Pause between two reads of moving state.
const BETWEEN_LOOKS: Duration = Duration::from_secs(2);
/// How long a queue may be incomplete in Redis while an instance is up.
const INCOMPLETE_MAX: Duration = Duration::from_secs(30);

/// Lists every violation, in the order of the invariants.
pub async fn verify(pool: &Pool, redis: &Redis) -> Result<Vec<Violation>, VerifyError> {
    // `is_served` is read before anything goes through the pool, whose connections look like an
    // instance.
    let mut beside = pool.connect_beside(APPLICATION_NAME, server::LONG_CALL_MAX).await?;
    let is_served = server::is_served(&mut beside).await?;
    drop(beside);
    let mut report = Report(verify_database(pool).await?);
    look_at_locks(redis, &mut report).await?;
    look_at_redis_lines(pool, redis, &mut report).await?;
    if is_served {
        look_at_incomplete_lines(pool, redis, &mut report).await?;
    }
    report.0.sort_by_key(|violation| violation.invariant);
    Ok(report.0)
}

/// Lists the violations in PostgreSQL only, for an office whose Redis is away.
pub async fn verify_database(pool: &Pool) -> Result<Vec<Violation>, VerifyError> {
    let mut db = pool.connect_beside(APPLICATION_NAME, server::LONG_CALL_MAX).await?;
    if !postgres::is_migrated(&mut *db).await? {
        return Err(VerifyError::NotMigrated);
    }
    let mut report = Report::default();
    let mut snapshot = db.begin_snapshot().await?;
    server::take_time(&mut snapshot).await?;
    look_at_points(&mut snapshot, &mut report).await?;
    look_at_seats(&mut snapshot, &mut report).await?;
    look_at_sales(&mut snapshot, &mut report).await?;
    look_at_lines(&mut snapshot, &mut report).await?;
    look_at_agreements(&mut snapshot, &mut report).await?;
    report.add(NoIdleTransaction, server::list_idle_transactions(&mut snapshot, ROWS_MAX).await?);
    snapshot.rollback().await?;
    look_at_what_is_late(&mut db, &mut report).await?;
    report.0.sort_by_key(|violation| violation.invariant);
    Ok(report.0)
}

#[derive(Debug, Default)]
struct Report(Vec<Violation>);

impl Report {
    fn add(&mut self, invariant: Invariant, findings: Vec<CheckFailure>) {
        let more = (findings.len() > FAILURES_MAX).then(|| CheckFailure {
            subject: "more".to_owned(),
            sentence: format!("only the first {FAILURES_MAX} are told"),
        });
        self.0.extend(findings.into_iter().take(FAILURES_MAX).chain(more).map(|finding| {
            Violation { invariant, subject: finding.subject, sentence: finding.sentence }
        }));
    }
}

async fn look_at_points(tx: &mut Connection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(WalletsSumUp, wallet::list_wrong_sums(tx, ROWS_MAX).await?);
    report.add(HistoryIsAChain, wallet::list_broken_links(tx, ROWS_MAX).await?);
    report.add(HistoryIsAChain, wallet::list_wrong_versions(tx, ROWS_MAX).await?);
    report.add(PointsAreConserved, wallet::list_lost_points(tx).await?);
    report.add(TransfersMatchEntries, wallet::list_wrong_transfers(tx, ROWS_MAX).await?);
    report.add(TransfersMatchEntries, wallet::list_lone_transfer_entries(tx, ROWS_MAX).await?);
    Ok(())
}

async fn look_at_seats(tx: &mut Connection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(SeatIsLiveOnce, seats::list_double_seats(tx, ROWS_MAX).await?);
    report.add(SeatsAgreeWithItems, seats::list_wrong_items(tx, ROWS_MAX).await?);
    report.add(SeatsAgreeWithItems, seats::list_wrong_seats(tx, ROWS_MAX).await?);
    report.add(HoldEndIsFixed, seats::list_wrong_ends(tx, ROWS_MAX).await?);
    report.add(ConfirmedAddsUp, seats::list_late_payments(tx, ROWS_MAX).await?);
    report.add(ConfirmedAddsUp, seats::list_wrong_totals(tx, ROWS_MAX).await?);
    report.add(ZonesAgreeWithItems, seats::list_wrong_zones(tx, ROWS_MAX).await?);
    Ok(())
}

async fn look_at_sales(tx: &mut Connection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(ConfirmedIsPaidOnce, sale::list_wrong_payments(tx, ROWS_MAX).await?);
    report.add(ConfirmedIsPaidOnce, sale::list_wrong_debits(tx, ROWS_MAX).await?);
    report.add(ConfirmedIsPaidOnce, sale::list_wrong_refunds(tx, ROWS_MAX).await?);
    report.add(PaidHasTickets, sale::list_wrong_tickets(tx, ROWS_MAX).await?);
    report.add(NoPaymentStandsAlone, sale::list_lone_debits(tx, ROWS_MAX).await?);
    report.add(NoPaymentStandsAlone, sale::list_lone_tickets(tx, ROWS_MAX).await?);
    report.add(RequestKeysHold, sale::list_wrong_outcomes(tx, ROWS_MAX).await?);
    Ok(())
}

async fn look_at_lines(tx: &mut Connection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(NumbersAreWhole, queue::list_wrong_numbers(tx, ROWS_MAX).await?);
    report.add(CapacityHolds, queue::list_crowded_admissions(tx, ROWS_MAX).await?);
    report.add(CapacityHolds, queue::list_crowded_moments(tx, ROWS_MAX).await?);
    Ok(())
}

async fn look_at_agreements(tx: &mut Connection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(RefundsAsAgreed, agreements::list_wrong_shares(tx, ROWS_MAX).await?);
    report.add(RefundsAsAgreed, agreements::list_not_wound_down(tx, ROWS_MAX).await?);
    report.add(HoldsBeginInside, agreements::list_holds_outside(tx, ROWS_MAX).await?);
    report.add(HoldsBeginInside, agreements::list_holds_over_the_cap(tx, ROWS_MAX).await?);
    report.add(TransfersMatchHistory, agreements::list_wrong_histories(tx, ROWS_MAX).await?);
    report.add(MovementsHaveTwoSides, agreements::list_wrong_house_entries(tx, ROWS_MAX).await?);
    report.add(MovementsHaveTwoSides, agreements::list_unbalanced_sums(tx).await?);
    report.add(MovementsHaveTwoSides, agreements::list_lone_adjustments(tx, ROWS_MAX).await?);
    Ok(())
}

/// Reports what should have ended. Workers end the oldest first, so a backlog that shrinks shows
/// other rows at each read. Nothing is late while no instance is up to end it.
async fn look_at_what_is_late(db: &mut Connection, report: &mut Report) -> Result<(), sqlx::Error> {
    if !server::is_served(db).await? {
        return Ok(());
    }
    let mut late = Vec::new();
    for look in 0..LOOKS {
        let requests = wallet::list_overdue_transfers(db, ROWS_MAX).await?.into_iter();
        let holds = seats::list_overdue_holds(db, ROWS_MAX).await?.into_iter();
        let seen: Vec<_> = requests
            .map(|found| (TransfersEnd, found))
            .chain(holds.map(|found| (HoldEndIsFixed, found)))
            .collect();
        if !keep_seen_again(&mut late, seen, look).await {
            break;
        }
    }
    for invariant in [TransfersEnd, HoldEndIsFixed] {
        let of_it = late.iter().filter(|(of, _)| *of == invariant);
        report.add(invariant, of_it.map(|(_, finding)| finding.clone()).collect());
    }
    Ok(())
}

async fn look_at_locks(redis: &Redis, report: &mut Report) -> Result<(), VerifyError> {
    let endless = locks::list_endless(redis, FAILURES_MAX + 1).await?.into_iter();
    let findings = endless.map(|key| CheckFailure {
        subject: format!("lock {key}"),
        sentence: "has no end: whoever held it, nobody else will".to_owned(),
    });
    report.add(LocksEnd, findings.collect());
    Ok(())
}

/// Compares the queues in Redis with PostgreSQL, behind which they lag by one projection.
async fn look_at_redis_lines(
    db: &Pool,
    redis: &Redis,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let mut differences = Vec::new();
    for look in 0..LOOKS {
        let seen = entry_queue::list_differences(db, redis, DIFFERENCES_MAX).await?;
        if !keep_seen_again(&mut differences, seen, look).await {
            break;
        }
    }
    let (torn, wrong): (Vec<Difference>, Vec<Difference>) = differences
        .into_iter()
        .partition(|found| found.seen.is_inside && found.seen.waiting.is_some());
    report.add(RedisAgrees, wrong.iter().map(told).collect());
    report.add(OnePlaceEach, torn.iter().map(told).collect());
    Ok(())
}

/// Reports queues that Redis has not had completely for longer than a rebuild takes; to be called
/// while an instance is up that should rebuild them.
async fn look_at_incomplete_lines(
    db: &Pool,
    redis: &Redis,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let began = Instant::now();
    let mut incomplete = entry_queue::list_incomplete(db, redis).await?;
    if incomplete.is_empty() {
        return Ok(());
    }
    while !incomplete.is_empty() && began.elapsed() < INCOMPLETE_MAX {
        tokio::time::sleep(BETWEEN_LOOKS).await;
        let still = entry_queue::list_incomplete(db, redis).await?;
        incomplete.retain(|program_id| still.contains(program_id));
    }
    let findings = incomplete.into_iter().map(|program_id| CheckFailure {
        subject: format!("program {program_id}"),
        sentence: format!(
            "has a line that is incomplete in Redis for more than {} s, while an instance is up",
            INCOMPLETE_MAX.as_secs()
        ),
    });
    report.add(RedisIsComplete, findings.collect());
    Ok(())
}

fn told(difference: &Difference) -> CheckFailure {
    let place = |standing: Positions| match (standing.waiting, standing.is_inside) {
        (None, false) => "nowhere".to_owned(),
        (None, true) => "inside".to_owned(),
        (Some(number), false) => format!("waiting as {number}"),
        (Some(number), true) => format!("waiting as {number} and inside"),
    };
    CheckFailure {
        subject: format!("account {} in program {}", difference.account_id, difference.program_id),
        sentence: format!(
            "is {} in Redis, but {} in Postgres",
            place(difference.seen),
            place(difference.right)
        ),
    }
}

/// Keeps in `kept` what this read and every read before has found, and sleeps until the next; false
/// when nothing is left to check.
async fn keep_seen_again<T: PartialEq>(kept: &mut Vec<T>, seen: Vec<T>, look: usize) -> bool {
    match look {
        0 => *kept = seen,
        _ => kept.retain(|finding| seen.contains(finding)),
    }
    if !kept.is_empty() && look + 1 < LOOKS {
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    !kept.is_empty()
}
