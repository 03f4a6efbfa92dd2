//! Check of a draw against the rows that it is made of.

use super::{
    arithmetic::{Sealed, head_of},
    close::read_entries,
    store::{self, entries},
};
use crate::{
    catalog::{DrawStep, ProgramId},
    infra::postgres::Connection,
};

/// Difference between a draw's stored results and the results that follow from its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongDraw {
    /// The entries differ from the closed ones.
    Entries,
    /// The beacon is not signed by the chain for the announced round.
    Beacon,
    /// A number is not the one that was drawn.
    Numbers,
}

/// Draws again from the rows of a program; `None`: the draw is right, or there is none.
pub async fn find_draw_fault(
    tx: &mut Connection,
    program_id: ProgramId,
) -> Result<Option<WrongDraw>, sqlx::Error> {
    let Some(draw) = store::find_draw(&mut *tx, program_id).await? else { return Ok(None) };
    if draw.step == DrawStep::Open {
        return Ok(None);
    }
    let all = read_entries(tx, program_id).await?;
    let sealed: Vec<Sealed> = all.iter().map(|(sealed, _)| *sealed).collect();
    let n_entries = i64::try_from(sealed.len()).ok();
    let head = head_of(&sealed).map(|head| head.to_vec());
    if head.is_none() || head != draw.head || n_entries != draw.entries {
        return Ok(Some(WrongDraw::Entries));
    }
    if let Some(signature) = &draw.beacon_signature
        && draw.beacon_round().is_none_or(|round| round.verify(signature).is_none())
    {
        return Ok(Some(WrongDraw::Beacon));
    }
    let Some(key) = draw.order_key() else { return Ok(None) };
    let numbered = usize::try_from(draw.numbered).unwrap_or_default();
    let mut drawn = key.sort(all);
    drawn.truncate(numbered);
    let given = entries::list_numbered(tx, program_id, draw.numbered).await?;
    Ok((given != drawn).then_some(WrongDraw::Numbers))
}
