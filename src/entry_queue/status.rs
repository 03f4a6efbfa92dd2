//! Where one person stands, as a poll and as the page tell it.

use std::sync::Arc;

use super::{
    error::QueueError,
    estimate::Wait,
    membership::no_token,
    model::{QueueNumber, QueueState, Stay, Token, TokenStatus, retry_after_ms},
    paths::queue_path,
    projection::project,
    redis_queue::{Position, RedisQueue},
    state::WaitingRoom,
    store,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{Program, ScheduleListing},
};

/// One person's place, as a poll and as the page tell it.
#[derive(Clone, Debug)]
pub(crate) struct StatusReport {
    pub(crate) state: QueueState,
    pub(crate) wait: Option<Wait>,
    /// Of whoever is inside.
    pub(crate) stay: Option<Stay>,
    /// What they may choose from.
    pub(crate) schedules: Arc<Vec<ScheduleListing>>,
    /// Whether they were passed over before, and have just come back.
    pub(crate) is_back: bool,
}

/// Where `account_id` stands in the line of `program`. Asking says that they are there:
/// whoever was passed over meanwhile stands in line again.
///
/// Whoever Redis has in line is told so without a look at Postgres. Everybody else is
/// looked up there, and moved in Redis where it believes something else.
pub(crate) async fn place_of(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
) -> Result<StatusReport, QueueError> {
    let line = RedisQueue::of(&app.redis, program.id);
    let grace = app.config.queue_grace();
    let sight = line.look(account_id, grace).await.unwrap_or(Position::Incomplete);
    if let Position::Waiting { number, n_ahead, n_waiting } = sight {
        return waiting(app, room, program, number, Some((n_ahead, n_waiting))).await;
    }
    let token = store::find_token(&app.db, program.id, account_id).await?;
    let token = token.ok_or_else(|| no_token(program))?;
    let is_back = token.status == TokenStatus::Waiting && token.parked_at.is_some();
    if is_back {
        store::write_return(&app.db, token.id).await?;
    }
    if !agrees(sight, &token) {
        project(app, program.id, &[account_id]).await;
    }
    if token.status != TokenStatus::Waiting {
        return beyond_the_line(app, room, program, account_id, &token).await;
    }
    let seen = match line.look(account_id, grace).await {
        Ok(Position::Waiting { n_ahead, n_waiting, .. }) => Some((n_ahead, n_waiting)),
        _ => None,
    };
    let place = waiting(app, room, program, token.queue_number, seen).await?;
    Ok(StatusReport { is_back, ..place })
}

/// Whether Redis, which does not have them in line, is right about `token`.
fn agrees(sight: Position, token: &Token) -> bool {
    match sight {
        Position::Inside { .. } => token.status == TokenStatus::Active,
        Position::Nowhere { .. } => {
            !matches!(token.status, TokenStatus::Active | TokenStatus::Waiting)
        }
        // While the line is counted again, whoever comes back must be counted.
        Position::Incomplete => token.parked_at.is_none(),
        Position::Waiting { .. } => false,
    }
}

async fn waiting(
    app: &App,
    room: &WaitingRoom,
    program: &Program,
    queue_number: QueueNumber,
    seen: Option<(u64, u64)>,
) -> Result<StatusReport, QueueError> {
    let ahead = seen.map(|(n_ahead, _)| n_ahead);
    let is_paused = program.queue_paused_at.is_some();
    let wait = match is_paused {
        // What was measured while the line moved says nothing about when it moves again.
        true => None,
        false => room.wait(app, program, ahead).await?,
    };
    let state = QueueState {
        status: TokenStatus::Waiting,
        queue_number,
        ahead,
        waiting: seen.map(|(_, n_waiting)| n_waiting),
        is_paused,
        estimated_wait_seconds: wait.map(|wait| wait.secs),
        estimated_wait_from_seconds: wait.map(|wait| wait.secs_min),
        estimated_wait_to_seconds: wait.map(|wait| wait.secs_max),
        measured_at: wait.map(|wait| wait.measured_at),
        retry_after_ms: Some(retry_after_ms(ahead, app.config.queue_grace())),
        expires_at: None,
        entry_url: None,
        seats_free: room.seats_free(app, program).await?,
    };
    Ok(StatusReport { state, wait, stay: None, schedules: Arc::default(), is_back: false })
}

/// The place of somebody who is inside, or was.
async fn beyond_the_line(
    app: &App,
    room: &WaitingRoom,
    program: &Program,
    account_id: AccountId,
    token: &Token,
) -> Result<StatusReport, QueueError> {
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
        is_paused: false,
        estimated_wait_seconds: None,
        estimated_wait_from_seconds: None,
        estimated_wait_to_seconds: None,
        measured_at: None,
        retry_after_ms: None,
        expires_at: stay.as_ref().map(|stay| stay.expires_at),
        entry_url: is_inside.then(|| entry_url(program, &schedules)),
        seats_free: room.seats_free(app, program).await?,
    };
    Ok(StatusReport { state, wait: None, stay, schedules, is_back: false })
}

/// Where somebody who is inside chooses seats: the one map, or the page that lists the
/// dates.
fn entry_url(program: &Program, schedules: &[ScheduleListing]) -> String {
    match schedules {
        [only] => format!("/schedules/{}", only.id),
        _ => queue_path(&program.slug),
    }
}
