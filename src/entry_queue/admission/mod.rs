//! Gate: admits waiting tokens in number order, as capacity and rate allow.
//!
//! The **gate** is one row for each program, which holds the **bucket** of its admission rate.
//! Redis says which accounts at the head of the queue are present; PostgreSQL gives their order and
//! the number of admitted tokens; `parking` decides between them.
//!
//! # Concurrency
//!
//! One transaction at a time holds a program's gate; an instance that finds it locked admits
//! none. Tokens are locked with `skip locked`: admission stops at the first token that another
//! transaction holds, and a stay whose token is locked is left to a later call.

pub(crate) mod store;

use futures_util::StreamExt;

use self::store as gate;
use super::{
    access_gates,
    parking::{Decision, Liveness},
    projection::{error::ProjectionError, project},
    redis_queue::RedisQueue,
    rules::ADMITTED_MAX,
};
use crate::{accounts::AccountId, app::App, catalog::ProgramId};

/// Present accounts considered in one admission.
const HEAD_MAX: usize = ADMITTED_MAX;
/// Stays ended in one transaction.
const LAPSED_MAX: i64 = 1_000;
/// Admissions of one program in one tick.
const ROUNDS_MAX: u32 = 10;
/// Programs served at the same time by one instance.
const PROGRAMS_AT_ONCE: usize = 4;

/// Outcome of one admission.
struct Passage {
    /// Accounts whose position in Redis has to be written.
    moved: Vec<AccountId>,
    /// Whether more of the same queue could be admitted.
    has_room: bool,
}

/// Admits in every program that is on sale, and through every open access gate. An error of one is logged
/// and stops no other.
pub async fn admit_everywhere(app: &App) -> Result<(), sqlx::Error> {
    let programs = gate::list_moving(&app.db).await?;
    futures_util::stream::iter(programs)
        .for_each_concurrent(PROGRAMS_AT_ONCE, |program_id| async move {
            if let Err(error) = admit(app, program_id).await {
                tracing::warn!(%program_id, %error, "nobody was let in");
            }
        })
        .await;
    access_gates::admit_everywhere(app).await
}

/// Ends stays that have run out, in every program.
pub async fn expire_stays(app: &App) -> Result<(), sqlx::Error> {
    for program_id in gate::list_with_lapsed(&app.db).await? {
        let mut tx = app.db.begin().await?;
        let expired = gate::expire_lapsed(&mut tx, program_id, LAPSED_MAX).await?;
        tx.commit().await?;
        project(app, program_id, &expired).await;
    }
    Ok(())
}

/// Admits in one program. Does nothing while Redis is away or the queue is rebuilt, because no
/// account's presence is known then; a program without limits is the exception.
pub(crate) async fn admit(app: &App, program_id: ProgramId) -> Result<(), ProjectionError> {
    let queue = RedisQueue::of(&app.redis, program_id);
    for _ in 0..ROUNDS_MAX {
        let head = queue.head(HEAD_MAX, app.config.queue_grace()).await.ok().flatten();
        let is_full = head.as_ref().is_some_and(|head| head.count_present() >= HEAD_MAX);
        let Some(passage) = pass_gate(app, program_id, head).await? else { return Ok(()) };
        if !passage.moved.is_empty() {
            project(app, program_id, &passage.moved).await;
        }
        if !(passage.has_room && is_full) {
            break;
        }
    }
    Ok(())
}

/// Admits in one transaction behind the gate's lock; `None` where another instance holds it.
async fn pass_gate(
    app: &App,
    program_id: ProgramId,
    head: Option<Liveness>,
) -> Result<Option<Passage>, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(stored) = gate::try_lock_gate(&mut tx, program_id).await? else {
        // The gate is locked by another instance or does not exist yet; the next tick finds it.
        gate::insert_gate(&mut tx, program_id).await?;
        tx.commit().await?;
        return Ok(None);
    };
    let mut moved = gate::expire_lapsed(&mut tx, program_id, LAPSED_MAX).await?;
    let n_inside = gate::count_inside(&mut tx, program_id).await?;
    let rules = gate::rules_of(&mut tx, program_id).await?;
    let bucket = rules.rate_per_second.map(|rate| stored.refilled(rate, rules.now));
    let room = rules.room(n_inside, bucket);
    let decision = match head {
        _ if room == 0 => None,
        None if !rules.is_open_door() => None,
        head => {
            let n_max = head.as_ref().map_or(HEAD_MAX, |head| head.notes.len());
            let queued = gate::list_first(&mut tx, program_id, n_max).await?;
            Some(match head {
                Some(head) if !rules.is_open_door() => Decision::of(&queued, &head, room),
                head => Decision::of_open_door(&queued, head.as_ref(), room),
            })
        }
    };
    let Some(decision) = decision else {
        // A bucket refilled at a later time than the current one would stay empty until then.
        if let Some(bucket) = bucket
            && stored.is_of_the_future(rules.now)
        {
            gate::write_bucket(&mut tx, program_id, bucket).await?;
        }
        tx.commit().await?;
        return Ok(Some(Passage { moved, has_room: false }));
    };

    let admission = gate::Admission {
        stay_ends_at: rules.stay_ends_at(),
        n_inside: i32::try_from(n_inside).unwrap_or(i32::MAX),
        capacity: rules.capacity,
        access_gate: None,
    };
    let admitted = gate::write_admissions(&mut tx, &decision.admitted, &admission).await?;
    let parked = gate::park(&mut tx, &decision.parked).await?;
    if let Some(bucket) = bucket {
        gate::write_bucket(&mut tx, program_id, bucket.less(admitted.len())).await?;
    }
    tx.commit().await?;

    metrics::counter!("stagedoor_admissions_total")
        .increment(u64::try_from(admitted.len()).unwrap_or(0));
    let has_room = admitted.len() < room;
    moved.extend(admitted);
    moved.extend(parked);
    moved.extend(decision.misplaced);
    Ok(Some(Passage { moved, has_room }))
}
