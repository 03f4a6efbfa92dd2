//! The gate: who goes in, in order, as many as there is room for.
//!
//! Redis says who of the head of the line is there; Postgres says in which order they
//! stand and how many are inside.

use futures_util::StreamExt;

use super::{
    line::{Head, Line},
    mirror::{MirrorError, mirror},
    model::{Bucket, Rules, Standing, TokenId},
    store::admission as gate,
};
use crate::{accounts::AccountId, app::App, catalog::ProgramId, infra::postgres::Connection};

/// People looked at in one admission.
const HEAD_MAX: usize = 1_000;
/// Stays ended in one transaction.
const LAPSED_MAX: i64 = 1_000;
/// Admissions of one program in one tick.
const ROUNDS_MAX: u32 = 10;
/// Programs served at the same time by one instance.
const PROGRAMS_AT_ONCE: usize = 4;

/// What one admission did.
struct Passage {
    /// Whom Redis should have elsewhere now.
    moved: Vec<AccountId>,
    /// Whether there is room for more of the same line.
    has_room: bool,
}

/// Lets people in, in every program that is on sale. One program's trouble is logged and
/// stops no other.
pub async fn admit_everywhere(app: &App) -> Result<(), sqlx::Error> {
    let programs = gate::list_moving(&app.db).await?;
    futures_util::stream::iter(programs)
        .for_each_concurrent(PROGRAMS_AT_ONCE, |program_id| async move {
            if let Err(error) = admit(app, program_id).await {
                tracing::warn!(%program_id, %error, "nobody was let in");
            }
        })
        .await;
    Ok(())
}

/// Ends every stay that has run out.
pub async fn sweep_lapsed(app: &App) -> Result<(), sqlx::Error> {
    for program_id in gate::list_with_lapsed(&app.db).await? {
        let mut tx = app.db.begin().await?;
        let expired = gate::expire_lapsed(&mut tx, program_id, LAPSED_MAX).await?;
        tx.commit().await?;
        mirror(app, program_id, &expired).await;
    }
    Ok(())
}

/// Lets people into one program. Does nothing while Redis is away or counts the line
/// again: nobody knows then who is there.
pub(super) async fn admit(app: &App, program_id: ProgramId) -> Result<(), MirrorError> {
    let line = Line::of(&app.redis, program_id);
    let grace_secs = app.config.queue_grace_secs.get();
    for _ in 0..ROUNDS_MAX {
        // An open door asks nobody whether they are there, so it needs no Redis.
        let head = line.head(HEAD_MAX, grace_secs).await.ok().flatten();
        let is_full = head.as_ref().is_some_and(|head| head.present.len() >= HEAD_MAX);
        let Some(passage) = pass_gate(app, program_id, head).await? else { return Ok(()) };
        if !passage.moved.is_empty() {
            mirror(app, program_id, &passage.moved).await;
        }
        if !(passage.has_room && is_full) {
            break;
        }
    }
    Ok(())
}

/// One transaction behind the gate's lock; `None` where another instance has it.
async fn pass_gate(
    app: &App,
    program_id: ProgramId,
    head: Option<Head>,
) -> Result<Option<Passage>, sqlx::Error> {
    let mut tx = app.db.begin().await?;
    let Some(stored) = gate::try_lock_gate(&mut tx, program_id).await? else {
        // Taken, or never made: the next tick knows.
        gate::insert_gate(&mut tx, program_id).await?;
        tx.commit().await?;
        return Ok(None);
    };
    let mut moved = gate::expire_lapsed(&mut tx, program_id, LAPSED_MAX).await?;
    let n_inside = gate::count_inside(&mut tx, program_id).await?;
    let rules = gate::rules_of(&mut tx, program_id).await?;
    let bucket = rules.rate_per_second.map(|rate| stored.refilled(rate, rules.now));
    let room = room(&rules, n_inside, bucket);
    let head = match head {
        _ if room == 0 => None,
        None if rules.is_open_door() => Some(everybody(&mut tx, program_id).await?),
        head => head,
    };
    let Some(head) = head else {
        // A bucket of a time to come would stay empty until then.
        if let Some(bucket) = bucket
            && stored.is_of_the_future(rules.now)
        {
            gate::write_bucket(&mut tx, program_id, bucket).await?;
        }
        tx.commit().await?;
        return Ok(Some(Passage { moved, has_room: false }));
    };

    let looked_at: Vec<AccountId> = head.present.iter().chain(&head.absent).copied().collect();
    let standing = gate::list_standing(&mut tx, program_id, &looked_at).await?;
    let turns = Turns::of(&head, &standing, room);
    let admitted = gate::write_admissions(
        &mut tx,
        &turns.admitted,
        rules.stay_ends_at(),
        i32::try_from(n_inside).unwrap_or(i32::MAX),
        rules.capacity,
    )
    .await?;
    let parked = gate::park(&mut tx, &turns.parked).await?;
    if let Some(bucket) = bucket {
        gate::write_bucket(&mut tx, program_id, bucket.less(admitted.len())).await?;
    }
    tx.commit().await?;

    metrics::counter!("stagedoor_admissions_total")
        .increment(u64::try_from(admitted.len()).unwrap_or(0));
    let has_room = admitted.len() < room;
    moved.extend(admitted);
    moved.extend(parked);
    moved.extend(turns.misplaced);
    Ok(Some(Passage { moved, has_room }))
}

/// How many may go in now.
fn room(rules: &Rules, n_inside: i64, bucket: Option<Bucket>) -> usize {
    if !rules.admits() {
        return 0;
    }
    let by_capacity = rules
        .capacity
        .map_or(HEAD_MAX, |capacity| usize::try_from(i64::from(capacity) - n_inside).unwrap_or(0));
    by_capacity.min(bucket.map_or(HEAD_MAX, Bucket::whole))
}

/// Without a line nobody is asked whether they are there.
async fn everybody(tx: &mut Connection, program_id: ProgramId) -> Result<Head, sqlx::Error> {
    let n_max = i64::try_from(HEAD_MAX).unwrap_or(i64::MAX);
    let first = gate::list_first(tx, program_id, n_max).await?;
    let present = first.into_iter().map(|standing| standing.account_id).collect();
    Ok(Head { present, absent: Vec::new(), may_park: false })
}

/// Whose turn it is.
#[derive(Debug, PartialEq, Eq)]
struct Turns {
    /// Who goes in, in order.
    admitted: Vec<TokenId>,
    /// Whose turn came while they were away.
    parked: Vec<TokenId>,
    /// Whom Redis has in line and Postgres has not.
    misplaced: Vec<AccountId>,
}

impl Turns {
    /// The lowest numbers of those who are there, at most `room`; whoever is away and
    /// stands before the last of them was passed over.
    fn of(head: &Head, standing: &[Standing], room: usize) -> Self {
        let absent: std::collections::HashSet<&AccountId> = head.absent.iter().collect();
        let (mut admitted, mut parked) = (Vec::new(), Vec::new());
        for somebody in standing {
            if admitted.len() == room {
                break;
            }
            if !absent.contains(&somebody.account_id) {
                admitted.push(somebody.token_id);
            } else if head.may_park {
                parked.push(somebody.token_id);
            }
        }
        let right: std::collections::HashSet<&AccountId> =
            standing.iter().map(|somebody| &somebody.account_id).collect();
        let seen = head.present.iter().chain(&head.absent);
        let misplaced = seen.filter(|id| !right.contains(id)).copied().collect();
        Self { admitted, parked, misplaced }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn line(n: i64) -> Vec<Standing> {
        let one = |_| Standing {
            token_id: TokenId(Uuid::now_v7()),
            account_id: AccountId(Uuid::now_v7()),
        };
        (0..n).map(one).collect()
    }

    fn head(line: &[Standing], absent: &[usize], may_park: bool) -> Head {
        let (away, there): (Vec<_>, Vec<_>) =
            line.iter().enumerate().partition(|(idx, _)| absent.contains(idx));
        let ids = |some: Vec<(usize, &Standing)>| some.iter().map(|(_, s)| s.account_id).collect();
        Head { present: ids(there), absent: ids(away), may_park }
    }

    #[test]
    fn the_lowest_numbers_that_are_there_go_in() {
        let line = line(5);
        let turns = Turns::of(&head(&line, &[0, 3], true), &line, 2);
        assert_eq!(turns.admitted, [line[1].token_id, line[2].token_id]);
        assert_eq!(turns.parked, [line[0].token_id], "the fourth person's turn did not come");
    }

    #[test]
    fn nobody_is_parked_before_they_had_time_to_poll() {
        let line = line(3);
        let turns = Turns::of(&head(&line, &[0, 1], false), &line, 3);
        assert_eq!(turns.admitted, [line[2].token_id]);
        assert!(turns.parked.is_empty());
    }

    #[test]
    fn whoever_redis_still_has_in_line_is_moved() {
        let line = line(3);
        let turns = Turns::of(&head(&line, &[], true), &line[1..], 1);
        assert_eq!(turns.misplaced, [line[0].account_id]);
        assert_eq!(turns.admitted, [line[1].token_id]);
    }
}
