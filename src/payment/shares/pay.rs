//! Paying a share: one transaction, which confirms the reservation if it is the last one.

use uuid::Uuid;

use super::{
    code::ShareCode,
    confirm::{self, CoveredHold},
    error::ShareError,
    make::{NewPart, insert, read_places},
    model::{LinkedShare, LockedShare, ShareId, SharePaid, ShareStatus},
    store::{self, ShareKey},
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{self, ScheduleId},
    entry_queue,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, retry_stale},
        throwaway,
    },
    payment::{error::PaymentError, shares::give_back},
    points::Points,
    reservation::{self, Held, ReservationError, ReservationId},
    wallet::{self, ShareOfPayer, WalletError},
};

/// Share to be paid.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// Share of a link.
    Linked(ShareId),
    /// Rest that the holder pays: every place that is in no live share.
    Rest,
}

/// Command to pay a part of a reservation.
#[derive(Clone, Copy, Debug)]
struct PartOrder {
    reservation_id: ReservationId,
    owner_id: AccountId,
    program_id: catalog::ProgramId,
    payer_id: AccountId,
    part: Part,
}

/// Pays the share of a link with the points of `payer_id`, which must not be the holder.
pub(crate) async fn pay(
    app: &App,
    payer_id: AccountId,
    share: &LinkedShare,
    key: Option<&RequestKey>,
) -> Result<SharePaid, ShareError> {
    require_friend(payer_id, share)?;
    let LinkedShare { id, reservation_id, owner_id, program_id } = *share;
    let part = Part::Linked(id);
    let order = PartOrder { reservation_id, owner_id, program_id, payer_id, part };
    // The friend only learns that the hold is over: how it ended is the holder's matter.
    pay_part(app, &order, key).await.map_err(|error| match error {
        ShareError::Payment(PaymentError::Reservation(
            ReservationError::HoldExpired
            | ReservationError::AlreadyPaid
            | ReservationError::ProgramCancelled
            | ReservationError::InvalidState(_),
        )) => ShareError::HoldOver,
        other => other,
    })
}

/// Pays a share with the points that `payer_id` bought for it; `key` is the purchase's.
pub(in crate::payment) async fn pay_bought(
    app: &App,
    payer_id: AccountId,
    id: Uuid,
    key: &RequestKey,
) -> Result<SharePaid, ShareError> {
    let share = store::find_linked(&app.db, ShareKey::Id(ShareId(id))).await?;
    pay(app, payer_id, &share.ok_or(ShareError::NotFound)?, Some(key)).await
}

/// Returns the share whose link has this code, if `payer_id` may buy points for it: what would be refused as a
/// payment is refused before it costs money.
pub(in crate::payment) async fn find_payable(
    app: &App,
    payer_id: AccountId,
    code: &str,
) -> Result<ShareId, ShareError> {
    let code = ShareCode::parse(code).ok_or(ShareError::NotFound)?;
    let share = store::find_linked(&app.db, ShareKey::Code(&code.hash())).await?;
    let share = share.ok_or(ShareError::NotFound)?;
    require_friend(payer_id, &share)?;
    let state = store::find_payability(&app.db, share.id, payer_id).await?;
    let state = state.ok_or(ShareError::NotFound)?;
    match state.status {
        ShareStatus::Open if !state.is_held => Err(ShareError::HoldOver),
        ShareStatus::Open if !state.may_have_tickets => Err(ShareError::AddressUnconfirmed),
        ShareStatus::Open => Ok(share.id),
        ShareStatus::Withheld | ShareStatus::Paid => Err(ShareError::Taken),
        ended => Err(ShareError::Ended(ended)),
    }
}

fn require_friend(payer_id: AccountId, share: &LinkedShare) -> Result<(), ShareError> {
    // Points and tickets of a rehearsal must not leave it, nor others come in.
    if throwaway::is_marked(payer_id.0) != throwaway::is_marked(share.owner_id.0) {
        return Err(ShareError::NotFound);
    }
    if payer_id == share.owner_id {
        return Err(ShareError::OwnLink);
    }
    Ok(())
}

/// Pays the rest for the holder: a new share of every place that is in no live share.
pub(crate) async fn pay_rest(
    app: &App,
    owner_id: AccountId,
    reservation_id: ReservationId,
    key: Option<&RequestKey>,
) -> Result<SharePaid, ShareError> {
    let found = reservation::find_owned(&app.db, owner_id, reservation_id).await?;
    let program_id = found.ok_or(ReservationError::NotFound)?.program_id;
    let (payer_id, part) = (owner_id, Part::Rest);
    let order = PartOrder { reservation_id, owner_id, program_id, payer_id, part };
    pay_part(app, &order, key).await
}

async fn pay_part(
    app: &App,
    order: &PartOrder,
    key: Option<&RequestKey>,
) -> Result<SharePaid, ShareError> {
    let attempt = |_| pay_once(app, order, key);
    let mut paid = retry_stale(attempt).await;
    if matches!(
        paid,
        Err(ShareError::Payment(PaymentError::Wallet(WalletError::InsufficientPoints { .. })))
    ) {
        // Points withheld by lapsed transfer requests and by shares of ended holds may be enough.
        wallet::expire_lapsed_of(&app.db, order.payer_id).await?;
        give_back::return_ended_of(app, order.payer_id).await?;
        paid = retry_stale(attempt).await;
    }
    let (paid, confirmed) = paid?;
    if let Some(schedule_id) = confirmed {
        metrics::counter!("stagedoor_payments_total").increment(1);
        reservation::announce(app, schedule_id);
        entry_queue::project(app, order.program_id, &[order.owner_id]).await;
    }
    Ok(paid)
}

/// Makes one attempt at paying. Also returns the performance if it confirmed the reservation.
async fn pay_once(
    app: &App,
    order: &PartOrder,
    key: Option<&RequestKey>,
) -> Result<(SharePaid, Option<ScheduleId>), ShareError> {
    let mut tx = app.db.begin().await?;
    // The key is claimed before any check, so that a double click is not refused because its first
    // click has withheld the points.
    if let Some(key) = key
        && let Claim::Done(paid) = key.claim(&mut tx).await?
    {
        return Ok((paid, None));
    }
    let PartOrder { reservation_id, owner_id, program_id, payer_id, part } = *order;
    let token = entry_queue::lock_live_token(&mut tx, owner_id, program_id).await?;
    let mut held = reservation::lock_held(&mut tx, owner_id, reservation_id).await?;
    let mut live = store::lock_live(&mut tx, reservation_id).await?;
    let mut places = read_places(&mut tx, &held).await?;
    let (id, amount) = match part {
        Part::Linked(id) => {
            let share = live.iter_mut().find(|share| share.id == id);
            let Some(share) = share else {
                return Err(ended(&mut tx, reservation_id, id).await?);
            };
            take(&mut tx, &held, share, payer_id).await?
        }
        Part::Rest => {
            let left = places.left();
            if left.is_empty() {
                return Err(ShareError::NothingLeft);
            }
            let id = ShareId(new_id());
            let payer_id = Some(payer_id);
            let new = NewPart { id, payer_id, code_hash: None, places: &left };
            let amount = insert(&mut tx, &mut held, &mut places, &new).await?;
            live.push(own_share(id, payer_id, amount));
            (id, amount)
        }
    };
    let last = ShareOfPayer { share_id: id.0, payer_id, amount };
    let is_covered = places.are_all_shared() && live.iter().all(|share| share.withheld().is_some());
    if !is_covered {
        let balance = wallet::withhold_share(&mut tx, &last).await?;
        let (status, tickets) = (ShareStatus::Withheld, Vec::new());
        let paid = SharePaid { share_id: id, status, amount, balance, tickets };
        return Ok((commit_kept(&app.db, tx, key, paid).await?, None));
    }
    let schedule_id = held.schedule_id;
    let covered = CoveredHold { held, token, owner_id, places, live, last };
    let paid = confirm::confirm(&mut tx, covered).await?;
    Ok((commit_kept(&app.db, tx, key, paid).await?, Some(schedule_id)))
}

/// Gives the locked share of a link to its payer, and returns its id and price.
async fn take(
    tx: &mut Connection,
    held: &Held,
    share: &mut LockedShare,
    payer_id: AccountId,
) -> Result<(ShareId, Points), ShareError> {
    if share.status != ShareStatus::Open {
        return Err(ShareError::Taken);
    }
    if !store::may_have_tickets(tx, held.program_id, payer_id).await? {
        return Err(ShareError::AddressUnconfirmed);
    }
    if !store::write_withheld(tx, share, payer_id).await? {
        return Err(PaymentError::StaleVersion.into());
    }
    let (status, version) = (ShareStatus::Withheld, share.version + 1);
    *share = LockedShare { payer_id: Some(payer_id), status, version, ..share.clone() };
    Ok((share.id, share.amount))
}

/// Returns a share of the holder as it was just written.
fn own_share(id: ShareId, payer_id: Option<AccountId>, amount: Points) -> LockedShare {
    let (status, version, has_link) = (ShareStatus::Withheld, 0, false);
    LockedShare { id, payer_id, amount, status, version, has_link }
}

/// Returns the refusal for a share that is not live.
async fn ended(
    tx: &mut Connection,
    reservation_id: ReservationId,
    id: ShareId,
) -> Result<ShareError, sqlx::Error> {
    let status = store::find_status(tx, reservation_id, id).await?;
    Ok(status.map_or(ShareError::NotFound, ShareError::Ended))
}
