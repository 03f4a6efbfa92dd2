//! What a rehearsal is played with: a program of its own and people of its own.
//!
//! All of it bears the mark of [`throwaway`], and only what bears it is ever removed here.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    error::CastError,
    store::{
        cast::{self as store, removal},
        server,
    },
};
use crate::infra::{
    postgres::{DedicatedConnection, Pool},
    redis::Redis,
    throwaway,
};

/// More people than this are no rehearsal any more.
pub(crate) const PEOPLE_MAX: usize = 20_000;
/// People who are made at once.
pub(crate) const PEOPLE_AT_ONCE_MAX: usize = 500;
/// A stage is over after so many minutes: nobody gets in any more, no session holds, and
/// the next rehearsal removes what is left of it.
const STAGE_MINS: i32 = 20;
/// Stages that stand at once.
const STAGES_MAX: usize = 8;
/// Stages that are over and removed at once; the rest is for the next time.
const SWEPT_MAX: i64 = 8;
/// How we are known to the server.
const APPLICATION_NAME: &str = "stagedoor rehearsal";

/// How large a rehearsal is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Seats on sale.
    pub(crate) seats: i32,
    /// Standing places on sale.
    pub(crate) places: i32,
    /// How many are inside at once.
    pub(crate) queue_capacity: i32,
}

impl Plan {
    /// What a seat and a place cost.
    pub(crate) const PRICE: i64 = 1_000;
    /// What is in every wallet.
    pub(crate) const POINTS: i64 = 10_000_000;

    /// Fewer seats than people, so that some are too late.
    fn of(people: usize) -> Self {
        let people = i32::try_from(people).unwrap_or(i32::MAX);
        Self {
            seats: (people / 2).max(1),
            places: (people / 4).max(2),
            queue_capacity: (people / 5).max(20),
        }
    }
}

/// The program of a rehearsal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stage {
    pub(crate) program_id: Uuid,
    pub(crate) slug: String,
    pub(crate) venue_id: Uuid,
    pub(crate) schedule_id: Uuid,
    pub(crate) zone_id: Uuid,
}

impl Stage {
    fn new() -> Self {
        let program_id = throwaway::new_id();
        Self {
            program_id,
            slug: format!("rehearsal-{}", program_id.simple()),
            venue_id: throwaway::new_id(),
            schedule_id: throwaway::new_id(),
            zone_id: throwaway::new_id(),
        }
    }
}

/// What the addresses of a stage's people end in.
fn email_host(program_id: Uuid) -> String {
    format!("rehearsal-{}.invalid", program_id.simple())
}

/// Somebody who takes part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Actor {
    pub(crate) account_id: Uuid,
    /// The value of a session's cookie for each of their devices.
    pub(crate) sessions: [String; 2],
}

/// Puts up a stage for `people`, and takes away those that are over.
pub(crate) async fn set_up(db: &Pool, redis: &Redis, people: usize) -> Result<Stage, CastError> {
    if !(1..=PEOPLE_MAX).contains(&people) {
        return Err(CastError::TooMany { people_max: PEOPLE_MAX });
    }
    sweep(db, redis).await?;
    let (stage, plan) = (Stage::new(), Plan::of(people));
    let mut connection = db.connect_beside(APPLICATION_NAME, server::LONG_CALL_MAX).await?;
    let mut tx = connection.begin().await?;
    server::take_time(&mut tx).await?;
    if store::count_stages(&mut tx).await? >= STAGES_MAX {
        return Err(CastError::TooManyStages);
    }
    store::insert_program(&mut tx, &stage, &plan, STAGE_MINS).await?;
    store::insert_schedule(&mut tx, &stage, &plan).await?;
    store::insert_schedule_seats(&mut tx, &stage).await?;
    tx.commit().await?;
    Ok(stage)
}

/// Makes `count` more people for a stage that stands, each with points and two sessions.
pub(crate) async fn add_people(
    db: &Pool,
    program_id: Uuid,
    count: usize,
) -> Result<Vec<Actor>, CastError> {
    if !(1..=PEOPLE_AT_ONCE_MAX).contains(&count) {
        return Err(CastError::TooMany { people_max: PEOPLE_AT_ONCE_MAX });
    }
    let [people, wallets] = [(); 2].map(|()| throwaway::new_ids(count));
    let tokens: Vec<[[u8; 32]; 2]> = people.iter().map(|_| rand::random()).collect();
    let owners: Vec<Uuid> = people.iter().flat_map(|id| [*id; 2]).collect();
    let hashes: Vec<Vec<u8>> =
        tokens.iter().flatten().map(|token| Sha256::digest(token).to_vec()).collect();

    let mut connection = db.connect_beside(APPLICATION_NAME, server::LONG_CALL_MAX).await?;
    let mut tx = connection.begin().await?;
    server::take_time(&mut tx).await?;
    // One at a time, so that the count holds.
    if !throwaway::is_marked(program_id) || !store::lock_stage(&mut tx, program_id).await? {
        return Err(CastError::NoStage);
    }
    let host = email_host(program_id);
    if store::count_people(&mut tx, &host).await? + count > PEOPLE_MAX {
        return Err(CastError::TooMany { people_max: PEOPLE_MAX });
    }
    store::insert_people(&mut tx, &host, &people).await?;
    store::insert_sessions(&mut tx, &owners, &hashes, STAGE_MINS).await?;
    store::insert_wallets(&mut tx, &people, &wallets, Plan::POINTS).await?;
    tx.commit().await?;
    let actors = people.into_iter().zip(tokens).map(|(account_id, tokens)| Actor {
        account_id,
        sessions: tokens.map(|token| BASE64_URL_SAFE_NO_PAD.encode(token)),
    });
    Ok(actors.collect())
}

/// Removes a stage with everybody and everything on it. Whatever interrupts it, the program
/// goes last, so that the rest is found again.
pub(crate) async fn take_down(db: &Pool, redis: &Redis, program_id: Uuid) -> Result<(), CastError> {
    if !throwaway::is_marked(program_id) {
        return Err(CastError::NoStage);
    }
    let mut connection = db.connect_beside(APPLICATION_NAME, server::LONG_CALL_MAX).await?;
    if !store::close_stage(&mut connection, program_id).await? {
        return Err(CastError::NoStage);
    }
    remove(&mut connection, program_id).await?;
    redis.forget_keys(&format!("{{{program_id}}}:")).await?;
    Ok(())
}

/// In steps that each lock little.
async fn remove(connection: &mut DedicatedConnection, program_id: Uuid) -> Result<(), sqlx::Error> {
    let host = email_host(program_id);
    let mut tx = connection.begin().await?;
    server::take_time(&mut tx).await?;
    removal::delete_sales(&mut tx, program_id).await?;
    removal::delete_reservations(&mut tx, program_id).await?;
    removal::delete_places_in_line(&mut tx, program_id).await?;
    tx.commit().await?;

    let mut tx = connection.begin().await?;
    server::take_time(&mut tx).await?;
    removal::delete_wallets(&mut tx, &host).await?;
    removal::delete_people(&mut tx, &host).await?;
    removal::delete_program(&mut tx, program_id).await?;
    tx.commit().await
}

/// Removes stages that are over: their rehearsals were killed.
async fn sweep(db: &Pool, redis: &Redis) -> Result<(), CastError> {
    let mut connection = db.connect_beside(APPLICATION_NAME, server::LONG_CALL_MAX).await?;
    for program_id in store::list_stages_over(&mut connection, SWEPT_MAX).await? {
        match take_down(db, redis, program_id).await {
            // Somebody else was quicker.
            Ok(()) | Err(CastError::NoStage) => {
                tracing::info!(%program_id, "an old rehearsal was removed");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
