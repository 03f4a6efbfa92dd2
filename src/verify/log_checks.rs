//! Checks of the queues' public data: their logs and their draws.

use super::{
    checks::{CheckFailure, Invariant, Violation},
    store,
};
use crate::{
    entry_queue::{self, LogFault, WrongDraw},
    infra::postgres::Connection,
};

/// Lists logs that disagree with the tokens of their queues.
pub(super) async fn list_wrong_logs(tx: &mut Connection) -> Result<Vec<Violation>, sqlx::Error> {
    let mut wrong = Vec::new();
    for log in store::list_logs(tx).await? {
        wrong.extend(entry_queue::find_log_fault(tx, log).await?.map(|fault| (log, fault)));
    }
    let failures = wrong.into_iter().map(|(log, fault)| CheckFailure {
        subject: format!("{} of program {}", log.kind.path(), log.program_id),
        sentence: match fault {
            LogFault::Gap => "has entries that its queue does not have",
            LogFault::Tile => "has a tile with other hashes than its entries",
            LogFault::Checkpoint => "has a checkpoint that is of another tree, or not signed",
            LogFault::Witnessed => {
                "has a cosignature that is of another tree, or not by its witness"
            }
        }
        .to_owned(),
    });
    Ok(Violation::list(Invariant::LogsAgreeWithTokens, failures.collect()).collect())
}

/// Lists draws whose entries or numbers do not follow from the published data.
pub(super) async fn list_wrong_draws(tx: &mut Connection) -> Result<Vec<Violation>, sqlx::Error> {
    let mut wrong = Vec::new();
    for program_id in store::list_closed_draws(tx).await? {
        let fault = entry_queue::find_draw_fault(tx, program_id).await?;
        wrong.extend(fault.map(|fault| (program_id, fault)));
    }
    let failures = wrong.into_iter().map(|(program_id, fault)| CheckFailure {
        subject: format!("draw of program {program_id}"),
        sentence: match fault {
            WrongDraw::Entries => "has other entries than those that were closed",
            WrongDraw::Beacon => "has a beacon that its chain did not sign for the announced round",
            WrongDraw::Numbers => "gave other numbers than those that were drawn",
        }
        .to_owned(),
    });
    Ok(Violation::list(Invariant::DrawsAreDrawn, failures.collect()).collect())
}
