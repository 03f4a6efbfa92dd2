//! Close of a draw: fixes its entries, and lets later arrivals queue behind them.

use super::{
    arithmetic::{Sealed, head_of},
    model::bytes_of,
    store::{self, entries},
};
use crate::{
    catalog::ProgramId,
    entry_queue::{
        join::store as numbers,
        model::{QueueNumber, TokenId},
    },
    infra::postgres::Connection,
};

/// Entries that are read at once.
const PAGE: i64 = 20_000;

/// Closes the draw of a program whose numbers are locked, after the sale has opened. Returns the
/// number that is given next; `None` if the draw is closed already.
pub async fn close(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<QueueNumber>, sqlx::Error> {
    if !store::lock_open(tx, program_id).await? {
        return Ok(None);
    }
    let all = read_entries(tx, program_id).await?;
    let sealed: Vec<Sealed> = all.iter().map(|(sealed, _)| *sealed).collect();
    let n_entries = i64::try_from(sealed.len()).unwrap_or(i64::MAX);
    // Hundreds of thousands of hashes would keep this thread from everything else.
    let head = tokio::task::spawn_blocking(move || head_of(&sealed)).await.ok().flatten();
    let head = head.ok_or(sqlx::Error::WorkerCrashed)?;
    let next = QueueNumber(n_entries + 1);
    store::write_closed(tx, program_id, n_entries, &head).await?;
    numbers::write_next_number(tx, program_id, next).await?;
    Ok(Some(next))
}

/// Returns all entries of a draw, in the order of their leaves.
pub(super) async fn read_entries(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Vec<(Sealed, TokenId)>, sqlx::Error> {
    let mut all: Vec<(Sealed, TokenId)> = Vec::new();
    loop {
        let after = all.last().map_or_else(Vec::new, |(sealed, _)| sealed.to_vec());
        let page = entries::list_entries(&mut *tx, program_id, &after, PAGE).await?;
        let is_last = i64::try_from(page.len()).is_ok_and(|n| n < PAGE);
        all.extend(page.into_iter().filter_map(|(id, stored)| Some((bytes_of(&stored)?, id))));
        if is_last {
            return Ok(all);
        }
    }
}
