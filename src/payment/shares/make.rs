//! New shares: the holder chooses places for a friend to pay.

use super::{
    code::ShareCode,
    error::ShareError,
    model::{FRIENDS_MAX, NewShare, Place, SHARES_MAX, ShareId, ShareMade, ShareOrder},
    places::Places,
    store, telling,
};
use crate::{
    accounts::AccountId,
    app::App,
    infra::{
        idempotency::{Claim, RequestKey, commit_kept},
        ids::new_id,
        postgres::{Connection, retry_stale},
    },
    payment::error::PaymentError,
    reservation::{self, Held, ReservationError, returns::error::ReturnRefusal},
};

/// Links that an account may have made within an hour where one is to be mailed: strangers' mailboxes are not its own.
const MAILED_AN_HOUR_MAX: i64 = 30;

/// Makes a share of places of a hold that are in no live share.
pub(crate) async fn make(
    app: &App,
    order: &ShareOrder,
    key: Option<&RequestKey>,
) -> Result<ShareMade, ShareError> {
    retry_stale(|_| make_once(app, order, key)).await
}

async fn make_once(
    app: &App,
    order: &ShareOrder,
    key: Option<&RequestKey>,
) -> Result<ShareMade, ShareError> {
    let mut tx = app.db.begin().await?;
    if let Some(key) = key
        && let Claim::Done(made) = key.claim(&mut tx).await?
    {
        return Ok(made);
    }
    let mut held = reservation::lock_held(&mut tx, order.owner_id, order.reservation_id).await?;
    let live = store::lock_live(&mut tx, order.reservation_id).await?;
    if live.iter().filter(|share| share.has_link).count() >= FRIENDS_MAX {
        return Err(ShareError::TooManyFriends);
    }
    if order.to.is_some()
        && store::count_linked_lately(&mut tx, order.owner_id, MAILED_AN_HOUR_MAX).await?
            >= MAILED_AN_HOUR_MAX
    {
        return Err(ShareError::TooManyShares);
    }
    let mut places = read_places(&mut tx, &held).await?;
    let chosen = places.find(&order.places).ok_or(ShareError::NoPlaces)?;
    if places.is_any_shared(&order.places) {
        return Err(ShareError::PlaceTaken);
    }
    let id = ShareId(new_id());
    let code = ShareCode::of(&app.signing_key, id);
    let code_hash = code.hash();
    let new = NewPart { id, payer_id: None, code_hash: Some(&code_hash), places: &chosen };
    let amount = insert(&mut tx, &mut held, &mut places, &new).await?;
    telling::tell_offered(&mut tx, order, id, &code).await?;
    Ok(commit_kept(&app.db, tx, key, ShareMade { share_id: id, amount }).await?)
}

/// Share of a locked hold to be written.
pub(super) struct NewPart<'a> {
    pub(super) id: ShareId,
    /// See [`NewShare::payer_id`].
    pub(super) payer_id: Option<AccountId>,
    pub(super) code_hash: Option<&'a [u8]>,
    pub(super) places: &'a [(Place, i32)],
}

/// Reads the places of a locked hold, with their live shares.
pub(super) async fn read_places(tx: &mut Connection, held: &Held) -> Result<Places, sqlx::Error> {
    Ok(Places::of(held, store::list_live_places(tx, held.reservation_id).await?))
}

/// Writes a share of a locked hold, and returns its price.
pub(super) async fn insert(
    tx: &mut Connection,
    held: &mut Held,
    places: &mut Places,
    new: &NewPart<'_>,
) -> Result<crate::points::Points, ShareError> {
    if held.exchange_id.is_some() {
        return Err(ShareError::OfExchange);
    }
    if held.buys_return {
        return Err(ReservationError::from(ReturnRefusal::NotShareable).into());
    }
    if held.is_shared && store::count(tx, held.reservation_id).await? >= SHARES_MAX {
        return Err(ShareError::TooManyShares);
    }
    reservation::mark_shared(tx, held).await?;
    let amount = places.price(new.places).ok_or(PaymentError::Inconsistent)?;
    let share = NewShare {
        id: new.id,
        reservation_id: held.reservation_id,
        payer_id: new.payer_id,
        amount,
        code_hash: new.code_hash,
        places: new.places,
    };
    store::insert(tx, &share).await?;
    places.put(new.places, new.id);
    Ok(amount)
}
