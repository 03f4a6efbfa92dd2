//! Line that goes on after its database went back: no number is given and no log signed a second time.

use crate::{
    app::App,
    catalog::ProgramId,
    entry_queue::{
        draw,
        join::store as joins,
        log::{LogId, find_or_begin, store as logs},
    },
    infra::postgres::Connection,
    setbacks::model::{LineBehind, SetbackId},
};

/// Makes the rows of both logs of a program, so that one that was signed and is not here can be had rest.
pub async fn begin_logs(app: &App, program_id: ProgramId) -> Result<(), sqlx::Error> {
    find_or_begin(app, LogId::joins(program_id)).await?;
    find_or_begin(app, LogId::moves(program_id)).await?;
    Ok(())
}

/// Passes over the numbers that were given in the lost time, and has the logs rest that were signed for more than the
/// database has. A log of joins whose numbers have a gap rests too: its entries are numbered without one.
pub async fn go_on(
    tx: &mut Connection,
    setback_id: SetbackId,
    line: &LineBehind,
) -> Result<(), sqlx::Error> {
    let program_id = ProgramId(line.program_id);
    if let Some(last) = line.number_known.max(line.joins_known) {
        // A draw whose close was lost is held again: its numbers begin with 1, as its page and its check say.
        let is_drawn_again = draw::store::lock_open(tx, program_id).await?;
        let has_gap = !is_drawn_again && pass_over(tx, program_id, last, setback_id).await?;
        if has_gap || line.joins_known.is_some() {
            logs::rest(tx, LogId::joins(program_id)).await?;
        }
    }
    if line.moves_known.is_some() {
        logs::rest(tx, LogId::moves(program_id)).await?;
    }
    Ok(())
}

/// Has the next join of a program get the number after `last`, and notes which numbers stay free. Returns whether any do.
async fn pass_over(
    tx: &mut Connection,
    program_id: ProgramId,
    last: i64,
    setback_id: SetbackId,
) -> Result<bool, sqlx::Error> {
    let next = joins::lock_next_number(&mut *tx, program_id).await?;
    if last < next.0 {
        return Ok(false);
    }
    joins::skip_numbers(&mut *tx, program_id, next, last, setback_id).await?;
    Ok(true)
}
