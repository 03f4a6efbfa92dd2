//! Whether a queue can be joined now, by the state of its sale.

use chrono::TimeDelta;

use super::error::QueueError;
use crate::{
    app::App,
    catalog::{Program, SaleState},
};

/// Margin by which a sale may still be unopened when a join is let through to the batch, where the
/// database's clock decides; a sale that opens later is refused at once.
const DOOR_MARGIN: TimeDelta = TimeDelta::seconds(5);

/// Returns an error unless the sale of `program` is open, opens within [`DOOR_MARGIN`], or opens with a
/// draw, which is entered before, or has an access gate that is open by then: the batch decides which
/// accounts may use that.
pub(crate) fn require_opened(app: &App, program: &Program) -> Result<(), QueueError> {
    let soon = app.now() + DOOR_MARGIN;
    match program.sale_state(soon) {
        SaleState::Coming { .. } if program.draw.is_some() => Ok(()),
        SaleState::Coming { .. } if program.first_gate_at.is_some_and(|at| at <= soon) => Ok(()),
        SaleState::Coming { opens_at } => Err(QueueError::not_open(program, opens_at)),
        _ => Ok(()),
    }
}
