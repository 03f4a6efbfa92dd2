//! Entries of a log of any kind.

use super::{
    moves::Move,
    store::{
        LogId, LogKind, moves,
        tokens::{self, LoggedToken},
    },
};
use sqlx::PgExecutor;

/// Returns the texts of at most `n_max` entries from index `first` on; `None` if a queue number is
/// missing, or a token has no commitment.
pub(super) async fn list_entries(
    db: impl PgExecutor<'_>,
    log: LogId,
    first: i64,
    n_max: i64,
) -> Result<Option<Vec<String>>, sqlx::Error> {
    match log.kind {
        LogKind::Joins => {
            let tokens = tokens::list_tokens(db, log.program_id, first, n_max).await?;
            let text = |(token, number): (&LoggedToken, i64)| {
                let entry = token.entry().filter(|entry| entry.number.0 == number)?;
                Some(entry.text())
            };
            Ok(tokens.iter().zip(first + 1..).map(text).collect())
        }
        LogKind::Moves => {
            let moves = moves::list_published(db, log.program_id, first, n_max).await?;
            Ok(Some(moves.iter().map(Move::text).collect()))
        }
    }
}
