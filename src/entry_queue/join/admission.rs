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

/// Way of a batch of joins into the sale.
#[derive(Debug)]
enum Way {
    /// Every join waits in the line.
    Line,
    /// Neither capacity nor rate limits admission: all are admitted.
    OpenDoor,
    /// The first joins are admitted behind the lock of the gate.
    Gate(LockedGate),
}

/// Admissions that a batch of joins is written with.
#[derive(Debug)]
pub(super) struct JoinAdmission {
    way: Way,
    n_admitted: usize,
    stay_ends_at: DateTime<Utc>,
    capacity: Option<i32>,
    /// Bucket before the admissions, where a rate limits them.
    bucket: Option<Bucket>,
    /// Whether the gate was asked and has no room for one more.
    pub(super) is_full: bool,
}

impl JoinAdmission {
    /// Decides how many of `n_joined` new tokens are admitted with their numbers. Stays that have run out
    /// make room only once an admission has ended them.
    pub(super) fn of(rules: &Rules, gate: Option<LockedGate>, n_joined: usize) -> Self {
        let bucket = |gate: LockedGate| {
            rules.rate_per_second.map(|rate| gate.bucket.refilled(rate, rules.now))
        };
        let bucket = gate.and_then(bucket);
        let room = gate.map_or(0, |gate| rules.room(gate.n_inside, bucket));
        let is_full = room <= n_joined && gate.is_some_and(|gate| !gate.has_lapsed);
        let (way, n_admitted) = match gate {
            _ if rules.is_open_door() => (Way::OpenDoor, n_joined),
            Some(gate) if room > 0 => (Way::Gate(gate), room.min(n_joined)),
            _ => (Way::Line, 0),
        };
        Self {
            way,
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
        let &Self { ref way, n_admitted, stay_ends_at, capacity, bucket, .. } = self;
        match way {
            Way::Line => store::write_joins(tx, program_id, new, first, None).await,
            Way::OpenDoor => {
                store::write_joins(tx, program_id, new, first, Some(stay_ends_at)).await
            }
            Way::Gate(locked) => {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        accounts::AccountId,
        entry_queue::{
            guards::{model::Arrival, network::NetworkTag},
            log::entry::{Commitment, Salt},
            model::TokenId,
        },
        infra::ids::new_id,
    };

    fn rules(capacity: Option<i32>, rate_per_second: Option<i32>, is_paused: bool) -> Rules {
        let rules = json!({
            "status": "PUBLISHED", "dates_left": "SOME", "on_sale_at": "2030-01-01T00:00:00Z",
            "off_sale_at": "2030-12-31T00:00:00Z", "capacity": capacity,
            "rate_per_second": rate_per_second, "is_paused": is_paused, "stay_secs": 600,
            "join_account_age_mins": null, "join_confirmed_address": false, "join_proof_bits": null,
            "joins_per_address": null, "unpaid_holds_max": null, "cool_down_mins": null,
            "draw": null, "has_access_gates": false, "now": "2030-06-01T00:00:00Z",
        });
        serde_json::from_value(rules).unwrap()
    }

    fn gate(n_inside: i64, level: f64) -> LockedGate {
        let refilled_at = "2030-06-01T00:00:00Z".parse().unwrap();
        LockedGate { bucket: Bucket { level, refilled_at }, n_inside, has_lapsed: false }
    }

    fn join() -> JoinRequest {
        let token_id = TokenId(new_id());
        let arrival = Arrival { network: NetworkTag(0), is_address_confirmed: true, solved: None };
        let salt = Salt::parse("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
        let commitment = Commitment::to(token_id, salt);
        JoinRequest { token_id, account_id: AccountId(new_id()), arrival, commitment }
    }

    #[test]
    fn as_many_joins_are_admitted_as_there_is_room_for_the_first_first() {
        let admission =
            JoinAdmission::of(&rules(Some(7), None, false), Some(gate(5, f64::INFINITY)), 3);
        assert_eq!((admission.n_admitted, admission.is_full), (2, true));
        let places = admission.places(&[join(), join(), join()], QueueNumber(41));
        let places: Vec<_> =
            places.iter().map(|place| (place.number.0, place.stay_ends_at.is_some())).collect();
        assert_eq!(places, [(41, true), (42, true), (43, false)]);
    }

    #[test]
    fn a_gate_with_room_for_more_is_not_full() {
        let admission =
            JoinAdmission::of(&rules(Some(7), None, false), Some(gate(3, f64::INFINITY)), 3);
        assert_eq!((admission.n_admitted, admission.is_full), (3, false));
    }

    #[test]
    fn a_rate_admits_whole_tokens_of_its_bucket() {
        let admission = JoinAdmission::of(&rules(None, Some(10), false), Some(gate(0, 2.9)), 5);
        assert_eq!((admission.n_admitted, admission.is_full), (2, true));
    }

    #[test]
    fn no_join_is_admitted_while_another_has_the_gate_or_the_queue_is_paused() {
        let locked = JoinAdmission::of(&rules(Some(7), None, false), None, 3);
        assert!(matches!(locked.way, Way::Line) && locked.n_admitted == 0 && !locked.is_full);
        let paused =
            JoinAdmission::of(&rules(Some(7), None, true), Some(gate(0, f64::INFINITY)), 3);
        assert!(matches!(paused.way, Way::Line) && paused.n_admitted == 0);
    }

    #[test]
    fn without_limits_every_join_is_admitted() {
        let admission = JoinAdmission::of(&rules(None, None, false), None, 500);
        assert!(matches!(admission.way, Way::OpenDoor) && admission.n_admitted == 500);
    }
}
