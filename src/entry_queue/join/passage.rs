//! Admission of joins that find room inside while no account waits.

use chrono::{DateTime, Utc};

use super::{
    model::{JoinRequest, NewPlace},
    rows::NewRows,
    store::{self, LockedGate},
};
use crate::{
    catalog::ProgramId,
    entry_queue::{
        admission::store::Admission,
        model::{Bucket, QueueNumber},
        rules::Rules,
    },
    infra::postgres::Connection,
};

/// How the joins of a batch pass the gate.
#[derive(Debug)]
enum Gate {
    /// They wait.
    Shut,
    /// Neither capacity nor rate limits admission: all are admitted.
    Open,
    /// The first of them are admitted behind the lock of the gate.
    Locked(LockedGate),
}

/// Admissions that a batch of joins is written with.
#[derive(Debug)]
pub(super) struct Passage {
    gate: Gate,
    n_admitted: usize,
    stay_ends_at: DateTime<Utc>,
    capacity: Option<i32>,
    /// Bucket before the admissions, where a rate limits them.
    bucket: Option<Bucket>,
    /// Whether the gate was asked and has no room for one more.
    pub(super) is_full: bool,
}

impl Passage {
    /// Decides how many of `n_joined` new tokens are admitted with their numbers. Stays that have run out
    /// make room only once an admission has ended them.
    pub(super) fn of(rules: &Rules, gate: Option<LockedGate>, n_joined: usize) -> Self {
        let bucket = |gate: LockedGate| {
            rules.rate_per_second.map(|rate| gate.bucket.refilled(rate, rules.now))
        };
        let bucket = gate.and_then(bucket);
        let room = gate.map_or(0, |gate| rules.room(gate.n_inside, bucket));
        let is_full = room <= n_joined && gate.is_some_and(|gate| !gate.has_lapsed);
        let (gate, n_admitted) = match gate {
            _ if rules.is_open_door() => (Gate::Open, n_joined),
            Some(gate) if room > 0 => (Gate::Locked(gate), room.min(n_joined)),
            _ => (Gate::Shut, 0),
        };
        Self {
            gate,
            n_admitted,
            stay_ends_at: rules.stay_ends_at(),
            capacity: rules.capacity,
            bucket,
            is_full,
        }
    }

    /// Returns the tokens of `joined`, whose numbers begin with `first`.
    pub(super) fn places(&self, joined: &[JoinRequest], first: QueueNumber) -> Vec<NewPlace> {
        let numbers = first.0..;
        let place = |(nth, (join, number)): (usize, (&JoinRequest, i64))| NewPlace {
            token_id: join.token_id,
            account_id: join.account_id,
            number: QueueNumber(number),
            stay_ends_at: (nth < self.n_admitted).then_some(self.stay_ends_at),
        };
        joined.iter().zip(numbers).enumerate().map(place).collect()
    }

    /// Inserts the tokens `new` with numbers from `first` on, and admits as many as were decided.
    pub(super) async fn write(
        &self,
        tx: &mut Connection,
        program_id: ProgramId,
        new: &NewRows,
        first: QueueNumber,
    ) -> Result<(), sqlx::Error> {
        let &Self { ref gate, n_admitted, stay_ends_at, capacity, bucket, .. } = self;
        match gate {
            Gate::Shut => store::write_joins(tx, program_id, new, first, None).await,
            Gate::Open => store::write_joins(tx, program_id, new, first, Some(stay_ends_at)).await,
            Gate::Locked(locked) => {
                let n_inside = i32::try_from(locked.n_inside).unwrap_or(i32::MAX);
                let admission = Admission { stay_ends_at, n_inside, capacity, access_gate: None };
                let bucket = bucket.map(|bucket| bucket.less(n_admitted));
                let n_admitted = i32::try_from(n_admitted).unwrap_or(i32::MAX);
                store::write_joins_at_gate(
                    tx, program_id, new, first, n_admitted, &admission, bucket,
                )
                .await
            }
        }
    }
}
