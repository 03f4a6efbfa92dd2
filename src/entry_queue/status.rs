//! State of one account in a queue, as polls and pages show it.

use std::sync::Arc;

use tokio::join;

use super::{
    draw::entries,
    error::QueueError,
    estimate::{Accuracy, Wait},
    join::model::JoinAnswer,
    model::{QueueNumber, QueueState, Stay, Token, TokenStatus, retry_after_ms},
    paths::queue_path,
    projection::project,
    redis_queue::Position,
    state::WaitingRoom,
    store,
};
use crate::{
    accounts::AccountId,
    app::App,
    catalog::{DrawStep, Program, ScheduleListing},
};

/// State of one account in a queue, as polls and pages show it.
#[derive(Clone, Debug)]
pub struct StatusReport {
    pub state: QueueState,
    pub wait: Option<Wait>,
    /// How good the line's estimates were, if a wait is shown.
    pub accuracy: Accuracy,
    /// Stay of an admitted account.
    pub stay: Option<Stay>,
    /// Performances to choose from; none for an entry in a draw.
    pub schedules: Arc<Vec<ScheduleListing>>,
    /// Whether the account was parked and has just returned to the queue.
    pub is_back: bool,
}

/// What a poll hears first.
#[derive(Debug)]
pub(crate) struct Heard {
    position: Position,
    /// Latest token of the account; `None` if there is none, or it was not asked for.
    token: Option<Token>,
}

impl Heard {
    /// Polls for `account_id`. Of an account that `seems_inside`, PostgreSQL is asked beside Redis; of any other
    /// Redis alone, whose answer is mostly enough.
    async fn of(
        app: &App,
        room: &WaitingRoom,
        program: &Program,
        account_id: AccountId,
        seems_inside: bool,
    ) -> Result<Self, QueueError> {
        let token = async {
            match seems_inside {
                true => store::find_token(&app.db, program.id, account_id).await,
                false => Ok(None),
            }
        };
        let (position, token) = join!(room.polls.poll(program.id, account_id), token);
        Ok(Self { position, token: token? })
    }

    /// Polls like [`of`](Self::of) before anything else is known of the account, not even whether its session is
    /// live; `None` if it may have an entry in a draw that is not over, which comes first.
    pub(crate) async fn ahead(
        app: &App,
        room: &WaitingRoom,
        program: &Program,
        account_id: AccountId,
        seems_inside: bool,
    ) -> Result<Option<Self>, QueueError> {
        if program.draw.is_some_and(|step| step != DrawStep::Drawn) {
            return Ok(None);
        }
        Self::of(app, room, program, account_id, seems_inside).await.map(Some)
    }
}

/// Returns the state of `account_id` in the queue of `program`. The call counts as a poll: a parked
/// token returns to the queue.
pub(crate) async fn status_of(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
) -> Result<StatusReport, QueueError> {
    status_once_heard(app, room, account_id, program, None).await
}

/// Returns the state like [`status_of`], of what was `heard` already.
///
/// An account that Redis has as waiting is answered without a query to PostgreSQL. One with an entry
/// in a draw that is not over is answered with that. Every other account is read from PostgreSQL, and
/// projected again where Redis differs.
pub(crate) async fn status_once_heard(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
    heard: Option<Heard>,
) -> Result<StatusReport, QueueError> {
    if let Some(state) = entries::entry_state(app, room, program, account_id).await? {
        let schedules = Arc::default();
        let accuracy = Accuracy::default();
        return Ok(StatusReport {
            state,
            wait: None,
            accuracy,
            stay: None,
            schedules,
            is_back: false,
        });
    }
    let Heard { position, token } = match heard {
        Some(heard) => heard,
        None => Heard::of(app, room, program, account_id, false).await?,
    };
    if let Position::Waiting { number, n_ahead, n_waiting } = position {
        return waiting(app, room, program, number, counted(n_ahead, n_waiting)).await;
    }
    let token = match token {
        Some(token) => Some(token),
        None => store::find_token(&app.db, program.id, account_id).await?,
    };
    let token = token.ok_or_else(|| QueueError::no_token(program))?;
    let is_back = token.status == TokenStatus::Waiting && token.parked_at.is_some();
    if is_back {
        store::write_return(&app.db, token.id).await?;
    }
    let is_drawing = program.draw.is_some_and(DrawStep::is_drawing);
    if !agrees(position, &token, is_drawing) {
        project(app, program.id, &[account_id]).await;
    }
    if token.status != TokenStatus::Waiting {
        return beyond_the_queue(app, room, program, account_id, &token).await;
    }
    let seen = match room.polls.poll(program.id, account_id).await {
        Position::Waiting { n_ahead, n_waiting, .. } => counted(n_ahead, n_waiting),
        _ => None,
    };
    let status = waiting(app, room, program, token.queue_number, seen).await?;
    Ok(StatusReport { is_back, ..status })
}

/// Returns the state of an account that has just `joined`; `None` where that is not known without asking.
pub(crate) async fn status_of_join(
    app: &App,
    room: &WaitingRoom,
    program: &Program,
    joined: &JoinAnswer,
) -> Result<Option<StatusReport>, QueueError> {
    let Some(place) = joined.place else { return Ok(None) };
    if let Some(ends_at) = place.stay_ends_at {
        let token = Token {
            id: place.token_id,
            queue_number: place.number,
            status: TokenStatus::Active,
            parked_at: None,
            stay_ends_at: Some(ends_at),
            expires_at: Some(ends_at),
        };
        return beyond_the_queue(app, room, program, place.account_id, &token).await.map(Some);
    }
    match joined.position {
        // Redis may still have the place of an earlier token.
        Some(Position::Waiting { number, n_ahead, n_waiting }) if number == place.number => {
            waiting(app, room, program, number, counted(n_ahead, n_waiting)).await.map(Some)
        }
        _ => Ok(None),
    }
}

/// Whether Redis, which does not have the account as waiting, agrees with `token`.
fn agrees(position: Position, token: &Token, is_drawing: bool) -> bool {
    match position {
        Position::Inside => token.status == TokenStatus::Active,
        // While numbers are drawn, an account that came after the close has no position in Redis.
        Position::Nowhere if is_drawing => token.status != TokenStatus::Active,
        Position::Nowhere => !matches!(token.status, TokenStatus::Active | TokenStatus::Waiting),
        // While the queue is rebuilt, a parked token that returns must be projected.
        Position::Unknown => token.parked_at.is_none(),
        Position::Waiting { .. } => false,
    }
}

/// Returns both numbers where the first is known.
fn counted(n_ahead: Option<u64>, n_waiting: u64) -> Option<(u64, u64)> {
    n_ahead.map(|n_ahead| (n_ahead, n_waiting))
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
    let measure = match ahead {
        // A speed measured before the pause says nothing about when the queue moves again.
        Some(_) if !is_paused => Some(room.measure(app, program).await?),
        _ => None,
    };
    let wait = measure.zip(ahead).and_then(|(measure, ahead)| measure.speed.wait(ahead));
    let accuracy = measure.map(|measure| measure.accuracy).unwrap_or_default();
    let state = QueueState {
        status: TokenStatus::Waiting,
        queue_number: Some(queue_number),
        ahead,
        waiting: seen.map(|(_, n_waiting)| n_waiting),
        is_paused,
        announcements: program.announcements.clone(),
        estimated_wait_seconds: wait.map(|wait| wait.secs),
        estimated_wait_from_seconds: wait.map(|wait| wait.secs_min),
        estimated_wait_to_seconds: wait.map(|wait| wait.secs_max),
        measured_at: wait.map(|wait| wait.measured_at),
        retry_after_ms: Some(retry_after_ms(ahead, app.config.queue_grace())),
        expires_at: None,
        entry_url: None,
        seats_free: room.seats_free(app, program).await?,
    };
    let schedules = room.schedules(app, program).await?;
    Ok(StatusReport { state, wait, accuracy, stay: None, schedules, is_back: false })
}

/// Returns the state of an account that is admitted, or whose token has ended.
async fn beyond_the_queue(
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
        queue_number: Some(token.queue_number),
        ahead: is_inside.then_some(0),
        waiting: None,
        is_paused: false,
        announcements: program.announcements.clone(),
        estimated_wait_seconds: None,
        estimated_wait_from_seconds: None,
        estimated_wait_to_seconds: None,
        measured_at: None,
        retry_after_ms: None,
        expires_at: stay.as_ref().map(|stay| stay.expires_at),
        entry_url: is_inside.then(|| entry_url(program, &schedules)),
        seats_free: room.seats_free(app, program).await?,
    };
    let accuracy = Accuracy::default();
    Ok(StatusReport { state, wait: None, accuracy, stay, schedules, is_back: false })
}

/// Returns the address where an admitted account chooses seats: the map of the only performance, or
/// the queue page, which lists the performances.
fn entry_url(program: &Program, schedules: &[ScheduleListing]) -> String {
    match schedules {
        [only] => format!("/schedules/{}", only.id),
        _ => queue_path(&program.slug),
    }
}
