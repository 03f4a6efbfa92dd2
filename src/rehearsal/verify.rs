//! Looking at everything once, and at what moves three times.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};

use super::{
    error::VerifyError,
    model::{
        Finding,
        Invariant::{self, D1, P1, P2, P3, P4, Q1, Q3, S1, S2, S3, S4, S5, W1, W2, W3, W4, W5},
        Violation,
    },
    store::{line, sale, seats, server, wallet},
};
use crate::{app::App, infra::postgres};

/// Findings of one kind that are told; one more only says that there are more.
pub const FINDINGS_MAX: usize = 50;
/// Asked for: one more than is told, to know whether there are more.
const ROWS_MAX: i64 = 51;
/// What moves is looked at so often …
const LOOKS: usize = 3;
/// … with so much time between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_secs(2);

/// Everything that should always be true and is not, in the order of the invariants.
pub async fn verify(app: &App) -> Result<Vec<Violation>, VerifyError> {
    if !postgres::is_migrated(&app.db).await? {
        return Err(VerifyError::NotMigrated);
    }
    let mut report = Report::default();
    let mut snapshot = server::begin_snapshot(&app.db).await?;
    server::take_time(&mut snapshot).await?;
    look_at_points(&mut snapshot, &mut report).await?;
    look_at_seats(&mut snapshot, &mut report).await?;
    look_at_sales(&mut snapshot, &mut report).await?;
    look_at_lines(&mut snapshot, &mut report).await?;
    report.add(D1, server::list_idle_transactions(&mut snapshot, ROWS_MAX).await?);
    snapshot.rollback().await?;
    look_at_what_is_late(&app.db, &mut report).await?;
    report.0.sort_by_key(|violation| violation.invariant);
    Ok(report.0)
}

#[derive(Debug, Default)]
struct Report(Vec<Violation>);

impl Report {
    fn add(&mut self, invariant: Invariant, findings: Vec<Finding>) {
        let more = (findings.len() > FINDINGS_MAX).then(|| Finding {
            subject: "more".to_owned(),
            sentence: format!("only the first {FINDINGS_MAX} are told"),
        });
        self.0.extend(findings.into_iter().take(FINDINGS_MAX).chain(more).map(|finding| {
            Violation { invariant, subject: finding.subject, sentence: finding.sentence }
        }));
    }
}

async fn look_at_points(tx: &mut PgConnection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(W1, wallet::list_wrong_sums(tx, ROWS_MAX).await?);
    report.add(W2, wallet::list_broken_links(tx, ROWS_MAX).await?);
    report.add(W2, wallet::list_wrong_versions(tx, ROWS_MAX).await?);
    report.add(W3, wallet::list_lost_points(tx).await?);
    report.add(W4, wallet::list_wrong_transfers(tx, ROWS_MAX).await?);
    report.add(W4, wallet::list_lone_transfer_entries(tx, ROWS_MAX).await?);
    Ok(())
}

async fn look_at_seats(tx: &mut PgConnection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(S1, seats::list_double_seats(tx, ROWS_MAX).await?);
    report.add(S2, seats::list_wrong_items(tx, ROWS_MAX).await?);
    report.add(S2, seats::list_wrong_seats(tx, ROWS_MAX).await?);
    report.add(S3, seats::list_wrong_ends(tx, ROWS_MAX).await?);
    report.add(S4, seats::list_late_payments(tx, ROWS_MAX).await?);
    report.add(S4, seats::list_wrong_totals(tx, ROWS_MAX).await?);
    report.add(S5, seats::list_wrong_zones(tx, ROWS_MAX).await?);
    Ok(())
}

async fn look_at_sales(tx: &mut PgConnection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(P1, sale::list_wrong_payments(tx, ROWS_MAX).await?);
    report.add(P1, sale::list_wrong_debits(tx, ROWS_MAX).await?);
    report.add(P2, sale::list_wrong_tickets(tx, ROWS_MAX).await?);
    report.add(P3, sale::list_lone_debits(tx, ROWS_MAX).await?);
    report.add(P3, sale::list_lone_tickets(tx, ROWS_MAX).await?);
    report.add(P4, sale::list_wrong_outcomes(tx, ROWS_MAX).await?);
    Ok(())
}

async fn look_at_lines(tx: &mut PgConnection, report: &mut Report) -> Result<(), sqlx::Error> {
    report.add(Q1, line::list_wrong_numbers(tx, ROWS_MAX).await?);
    report.add(Q3, line::list_crowded_admissions(tx, ROWS_MAX).await?);
    Ok(())
}

/// What should have ended. Workers end the oldest first, so a backlog that shrinks shows
/// other rows at each look. Nothing is late while no instance is up to end it.
async fn look_at_what_is_late(db: &PgPool, report: &mut Report) -> Result<(), sqlx::Error> {
    if !server::is_served(db).await? {
        return Ok(());
    }
    report.add(W5, seen_each_time(|| wallet::list_overdue_transfers(db, ROWS_MAX)).await?);
    report.add(S3, seen_each_time(|| seats::list_overdue_holds(db, ROWS_MAX)).await?);
    Ok(())
}

/// The findings of `look` that were there at every look.
async fn seen_each_time<F, E>(look: impl Fn() -> F) -> Result<Vec<Finding>, E>
where
    F: Future<Output = Result<Vec<Finding>, E>>,
{
    let mut findings = look().await?;
    for _ in 1..LOOKS {
        if findings.is_empty() {
            break;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
        let again = look().await?;
        findings.retain(|finding| again.contains(finding));
    }
    Ok(findings)
}
