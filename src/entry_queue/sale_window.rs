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
/// draw, which is entered before.
pub(crate) fn require_opened(app: &App, program: &Program) -> Result<(), QueueError> {
    match program.sale_state(app.now() + DOOR_MARGIN) {
        SaleState::Coming { .. } if program.draw.is_some() => Ok(()),
        SaleState::Coming { opens_at } => Err(QueueError::not_open(program, opens_at)),
        _ => Ok(()),
    }
}
