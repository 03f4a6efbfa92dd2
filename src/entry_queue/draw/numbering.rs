//! Numbers of a draw: given in the drawn order, some in each transaction.

use super::{
    close::read_entries,
    store::{self, entries},
};
use crate::{
    app::App,
    catalog::{DrawStep, ProgramId},
    entry_queue::model::TokenId,
};

/// Numbers given in one transaction.
const CHUNK: usize = 5_000;
/// Transactions of one draw in one round of the worker; the next round goes on.
const CHUNKS_MAX: usize = 400;

/// Gives the numbers of a revealed draw that are left. Returns whether all are given. An instance that
/// finds the draw locked leaves it to the instance that holds it.
pub(super) async fn give_numbers(app: &App, program_id: ProgramId) -> Result<bool, sqlx::Error> {
    let Some(order) = draw_order(app, program_id).await? else { return Ok(false) };
    for _ in 0..CHUNKS_MAX {
        match give_some(app, program_id, &order).await? {
            Given::All => return Ok(true),
            Given::Some => {}
            Given::None => return Ok(false),
        }
    }
    Ok(false)
}

/// Returns the ids of the entries in the drawn order. Entries and key are fixed, so no lock is needed.
async fn draw_order(app: &App, program_id: ProgramId) -> Result<Option<Vec<TokenId>>, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let draw = store::find_draw(&mut *tx, program_id).await?;
    let Some(draw) = draw.filter(|draw| draw.step == DrawStep::Revealed) else { return Ok(None) };
    let Some(key) = draw.order_key() else {
        tracing::error!(%program_id, "what a draw revealed makes no order: it rests");
        return Ok(None);
    };
    let all = read_entries(&mut tx, program_id).await?;
    tx.rollback().await?;
    // Hundreds of thousands of hashes would keep this thread from everything else.
    let sorted = tokio::task::spawn_blocking(move || key.sort(all)).await;
    Ok(sorted.ok())
}

/// Progress of one transaction of the numbering.
enum Given {
    /// Another instance gives the numbers.
    None,
    Some,
    /// All numbers are given.
    All,
}

/// Gives the next [`CHUNK`] numbers.
async fn give_some(
    app: &App,
    program_id: ProgramId,
    order: &[TokenId],
) -> Result<Given, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(draw) = store::try_lock_draw(&mut tx, program_id).await? else {
        return Ok(Given::None);
    };
    if draw.step == DrawStep::Drawn {
        return Ok(Given::All);
    }
    let given = usize::try_from(draw.numbered).unwrap_or_default();
    let next: Vec<TokenId> = order.iter().skip(given).take(CHUNK).copied().collect();
    let n_given = entries::insert_tokens(&mut tx, program_id, &next, draw.numbered + 1).await?;
    let numbered = draw.numbered + n_given;
    store::write_numbered(&mut tx, program_id, numbered).await?;
    tx.commit().await?;
    Ok(if Some(numbered) == draw.entries { Given::All } else { Given::Some })
}
