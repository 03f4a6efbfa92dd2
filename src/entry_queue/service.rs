//! What a person does in the line, and what other features ask of it.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{PgConnection, PgExecutor};

use super::{
    admission,
    batch::Verdict,
    error::QueueError,
    estimate::Wait,
    line::{Line, Sight},
    mirror::mirror,
    model::{
        LiveToken, QueueNumber, QueueState, Stay, Token, TokenId, TokenStatus, queue_path,
        retry_after_ms,
    },
    room::WaitingRoom,
    store,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, ProgramId, SaleState, ScheduleListing},
};

/// A sale that opens later than this is refused at the door; for the last moments the
/// database's clock decides.
const DOOR_MARGIN: TimeDelta = TimeDelta::seconds(5);

/// Joins the line of `program`, and tells the place.
pub(super) async fn join(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
) -> Result<Place, QueueError> {
    if let SaleState::Coming { opens_at } = program.sale_state(app.now() + DOOR_MARGIN) {
        return Err(not_open(program, opens_at));
    }
    let verdict = room.joins.join(program.id, account_id).await?;
    match verdict {
        Verdict::NotOpen { opens_at } => return Err(not_open(program, opens_at)),
        Verdict::Closed => return Err(QueueError::SaleClosed),
        Verdict::Joined | Verdict::AlreadyIn => (),
    }
    let mut place = place_of(app, room, account_id, program).await?;
    if place.state.status == TokenStatus::Waiting && place.state.ahead == Some(0) {
        // The first of the line does not wait for the next tick.
        if let Err(error) = admission::admit(app, program.id).await {
            tracing::debug!(program_id = %program.id, %error, "nobody was let in at once");
        }
        place = place_of(app, room, account_id, program).await?;
    }
    match verdict {
        Verdict::AlreadyIn => Err(QueueError::TokenAlreadyIssued {
            state: Box::new(place.state),
            queue_url: queue_path(&program.slug),
        }),
        _ => Ok(place),
    }
}

fn not_open(program: &Program, opens_at: DateTime<Utc>) -> QueueError {
    QueueError::SaleNotOpen {
        opens_at,
        time_zone: program.time_zone.clone(),
        program_url: program_url(program),
    }
}

fn program_url(program: &Program) -> String {
    format!("/programs/{}", program.slug)
}

/// One person's place, as a poll and as the page tell it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) state: QueueState,
    pub(super) wait: Option<Wait>,
    /// Of whoever is inside.
    pub(super) stay: Option<Stay>,
    /// What they may choose from.
    pub(super) schedules: Arc<Vec<ScheduleListing>>,
    /// Whether they were passed over before, and have just come back.
    pub(super) is_back: bool,
}

/// Where `account_id` stands in the line of `program`. Asking says that they are there:
/// whoever was passed over meanwhile stands in line again.
///
/// Whoever Redis has in line is told so without a look at Postgres. Everybody else is
/// looked up there, and moved in Redis where it believes something else.
pub(super) async fn place_of(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
) -> Result<Place, QueueError> {
    let line = Line::of(&app.redis, program.id);
    let sight = line.look(account_id).await.unwrap_or(Sight::Incomplete);
    if let Sight::Waiting { number, n_ahead, n_waiting } = sight {
        return waiting(app, room, program, number, Some((n_ahead, n_waiting))).await;
    }
    let token = store::find_token(&app.db, program.id, account_id).await?;
    let token = token.ok_or_else(|| no_token(program))?;
    let is_back = token.status == TokenStatus::Waiting && token.parked_at.is_some();
    if is_back {
        store::write_return(&app.db, token.id).await?;
    }
    if !agrees(sight, &token) {
        mirror(app, program.id, &[account_id]).await;
    }
    if token.status != TokenStatus::Waiting {
        return beyond_the_line(app, room, program, account_id, &token).await;
    }
    let seen = match line.look(account_id).await {
        Ok(Sight::Waiting { n_ahead, n_waiting, .. }) => Some((n_ahead, n_waiting)),
        _ => None,
    };
    let place = waiting(app, room, program, token.queue_number, seen).await?;
    Ok(Place { is_back, ..place })
}

/// Whether Redis, which does not have them in line, is right about `token`.
fn agrees(sight: Sight, token: &Token) -> bool {
    match sight {
        Sight::Inside { .. } => token.status == TokenStatus::Active,
        Sight::Nowhere { .. } => {
            !matches!(token.status, TokenStatus::Active | TokenStatus::Waiting)
        }
        // While the line is counted again, whoever comes back must be counted.
        Sight::Incomplete => token.parked_at.is_none(),
        Sight::Waiting { .. } => false,
    }
}

async fn waiting(
    app: &App,
    room: &WaitingRoom,
    program: &Program,
    queue_number: QueueNumber,
    seen: Option<(u64, u64)>,
) -> Result<Place, QueueError> {
    let ahead = seen.map(|(n_ahead, _)| n_ahead);
    let wait = room.wait(app, program, ahead).await?;
    let state = QueueState {
        status: TokenStatus::Waiting,
        queue_number,
        ahead,
        waiting: seen.map(|(_, n_waiting)| n_waiting),
        estimated_wait_seconds: wait.map(|wait| wait.secs),
        retry_after_ms: Some(retry_after_ms(ahead)),
        expires_at: None,
        entry_url: None,
        seats_free: room.seats_free(app, program).await?,
    };
    Ok(Place { state, wait, stay: None, schedules: Arc::default(), is_back: false })
}

/// The place of somebody who is inside, or was.
async fn beyond_the_line(
    app: &App,
    room: &WaitingRoom,
    program: &Program,
    account_id: AccountId,
    token: &Token,
) -> Result<Place, QueueError> {
    let is_inside = token.status == TokenStatus::Active;
    let stay = match (is_inside, token.stay_ends_at, token.expires_at) {
        (true, Some(stay_ends_at), Some(expires_at)) => Some(Stay {
            token_id: token.id,
            program_id: program.id,
            account_id,
            queue_number: token.queue_number,
            stay_ends_at,
            expires_at,
        }),
        _ => None,
    };
    let schedules = room.schedules(app, program).await?;
    let state = QueueState {
        status: token.status,
        queue_number: token.queue_number,
        ahead: is_inside.then_some(0),
        waiting: None,
        estimated_wait_seconds: None,
        retry_after_ms: None,
        expires_at: stay.as_ref().map(|stay| stay.expires_at),
        entry_url: is_inside.then(|| entry_url(program, &schedules)),
        seats_free: room.seats_free(app, program).await?,
    };
    Ok(Place { state, wait: None, stay, schedules, is_back: false })
}

/// Where somebody who is inside chooses seats: the one map, or the page that lists the
/// dates.
fn entry_url(program: &Program, schedules: &[ScheduleListing]) -> String {
    match schedules {
        [only] => format!("/schedules/{}", only.id),
        _ => queue_path(&program.slug),
    }
}

fn no_token(program: &Program) -> QueueError {
    QueueError::NoToken { program_url: program_url(program) }
}

/// Gives a place up, in line or inside; live holds stay payable. With a `number`, only
/// the place that bears it: an old tab never takes a newer place away.
pub(super) async fn leave(
    app: &App,
    account_id: AccountId,
    program: &Program,
    number: Option<QueueNumber>,
) -> Result<(), QueueError> {
    let mut tx = app.db.begin().await?;
    let token = store::lock_live_token(&mut tx, program.id, account_id).await?;
    let token = token.filter(|token| number.is_none_or(|number| number == token.queue_number));
    let token = token.ok_or_else(|| no_token(program))?;
    store::write_end(&mut tx, token.id, TokenStatus::Cancelled).await?;
    tx.commit().await?;
    mirror(app, program.id, &[account_id]).await;
    Ok(())
}

fn not_admitted(program: &Program) -> QueueError {
    QueueError::NotAdmitted { queue_url: queue_path(&program.slug) }
}

/// The stay of `account_id` in `program`, for pages that only read. The live row
/// decides, not the pass.
pub async fn require_stay(
    app: &App,
    account_id: AccountId,
    program: &Program,
) -> Result<Stay, QueueError> {
    let stay = store::find_stay(&app.db, program.id, account_id).await?;
    stay.ok_or_else(|| not_admitted(program))
}

/// Locks the stay of `account_id` in `program`, in which a hold may start now.
///
/// The clock is read after the row is ours: a hold that had to wait for it cannot
/// start after the stay's end.
pub async fn lock_stay(
    tx: &mut PgConnection,
    account_id: AccountId,
    program: &Program,
) -> Result<Stay, QueueError> {
    let stay = store::lock_stay(tx, program.id, account_id).await?;
    let stay = stay.ok_or_else(|| not_admitted(program))?;
    if store::clock(tx).await? < stay.stay_ends_at { Ok(stay) } else { Err(not_admitted(program)) }
}

/// Keeps the place of a locked stay at least until `until`, the end of a hold. No new
/// hold may start later for it.
pub async fn extend_stay(
    tx: &mut PgConnection,
    token_id: TokenId,
    until: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    store::write_expiry(tx, token_id, until).await
}

/// Locks the place of `account_id` in the line of `program_id` that is not over.
/// Stands before `reservations` in the order of locks.
pub async fn lock_live_token(
    tx: &mut PgConnection,
    account_id: AccountId,
    program_id: ProgramId,
) -> Result<Option<LiveToken>, sqlx::Error> {
    store::lock_live_token(tx, program_id, account_id).await
}

/// Ends a stay whose last hold is paid; call [`mirror`](super::mirror()) after the
/// commit. A token that still waits is left alone: its owner gave up an earlier place,
/// kept its holds and stands in line again.
pub async fn complete(tx: &mut PgConnection, token: &LiveToken) -> Result<(), sqlx::Error> {
    if token.status == TokenStatus::Active {
        store::write_end(tx, token.id, TokenStatus::Completed).await?;
    }
    Ok(())
}

/// Whether anybody stands in the line of `program_id`; the parked do not.
pub async fn is_anybody_waiting(
    db: impl PgExecutor<'_>,
    program_id: ProgramId,
) -> Result<bool, sqlx::Error> {
    store::is_anybody_waiting(db, program_id).await
}
