//! Exchange that a hold is to be paid in, and what its order gives back then.

use crate::{
    accounts::AccountId,
    app::App,
    points::Points,
    reservation::{
        lifecycle::{
            find_owned,
            store::{
                away,
                exchanges::{ShownExchange, find_open_exchange, list_given_prices},
            },
        },
        model::Reservation,
        refund_steps::RefundCap,
    },
};

/// Returns the open exchange that a hold was made in, and bounds the terms of the hold by what the given tickets would give
/// back now, as its payment will; `None` once it has ended.
pub(super) async fn read_exchange(
    app: &App,
    account_id: AccountId,
    hold: &mut Reservation,
) -> Result<Option<ShownExchange>, sqlx::Error> {
    let Some(id) = hold.exchange_id.filter(|_| hold.status.is_held()) else { return Ok(None) };
    let open = find_open_exchange(&app.db, account_id, hold.program_id).await?;
    let Some(open) = open.filter(|open| open.exchange_id == id) else { return Ok(None) };
    let from = find_owned(&app.db, account_id, open.from_id).await?;
    let paid = away::list_paid(&app.db, open.from_id).await?;
    let total = Points::sum(paid.iter().flat_map(|part| [part.amount, part.to_house]));
    let prices = list_given_prices(&app.db, id).await?;
    let share = from.and_then(|from| from.refund_share(app.now()));
    if let Some(cap) = total.and_then(|total| RefundCap::of(share, &prices, total)) {
        hold.refund_steps = cap.bound_steps(&hold.refund_steps, hold.total);
    }
    Ok(Some(open))
}
