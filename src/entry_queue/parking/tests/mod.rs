//! Tests of single decisions, and of the rule over simulated queues.

mod simulation;

use uuid::Uuid;

use super::*;

const GRACE_MS: i64 = 60_000;
/// Moment long after every note of a test.
const NOW_MS: i64 = 1_000_000;
const POLLED: Note = Note::Polled(NOW_MS - 1_000);
const ENTERED: Note = Note::Entered(NOW_MS - GRACE_MS);
const SILENT: Note = Note::Polled(NOW_MS - GRACE_MS - 1);

fn queue(n: u128) -> Vec<QueuedAccount> {
    let one = |nth| QueuedAccount {
        token_id: TokenId(Uuid::from_u128(nth)),
        account_id: AccountId(Uuid::from_u128(1_000 + nth)),
    };
    (0..n).map(one).collect()
}

/// Returns the notes of the first of `queue`, with polls heard all the time.
fn liveness(queue: &[QueuedAccount], notes: &[Note]) -> Liveness {
    Liveness {
        notes: queue.iter().map(|account| account.account_id).zip(notes.iter().copied()).collect(),
        hearing: Hearing { heard_ms: NOW_MS, quiet_ms: Some(0), resumed_ms: 1, behind_ms: None },
        is_whole: true,
        grace_ms: GRACE_MS,
    }
}

fn tokens(queue: &[QueuedAccount], picked: &[usize]) -> Vec<TokenId> {
    picked.iter().map(|idx| queue[*idx].token_id).collect()
}

#[test]
fn the_lowest_present_numbers_go_in_and_the_silent_before_them_are_parked() {
    let queue = queue(5);
    let liveness = liveness(&queue, &[SILENT, POLLED, POLLED, SILENT, POLLED]);
    let decision = Decision::of(&queue, &liveness, 2);
    assert_eq!(decision.admitted, tokens(&queue, &[1, 2]));
    assert_eq!(decision.parked, tokens(&queue, &[0]), "the fourth person's turn did not come");
    assert_eq!(Decision::of(&queue, &liveness, 3).parked, tokens(&queue, &[0, 3]));
}

#[test]
fn without_limits_nobody_waits_for_the_absent_who_keep_their_places() {
    let queue = queue(5);
    let liveness = liveness(&queue, &[ENTERED, POLLED, SILENT, ENTERED, POLLED]);
    assert_eq!(Decision::of(&queue, &liveness, 5), Decision::default());
    let decision = Decision::of_open_door(&queue, Some(&liveness), 5);
    assert_eq!(decision.admitted, tokens(&queue, &[1, 4]));
    assert_eq!((decision.parked, decision.misplaced), (vec![], vec![]));
    let decision = Decision::of_open_door(&queue, None, 3);
    assert_eq!(decision.admitted, tokens(&queue, &[0, 1, 2]), "nobody knows who is here");
}

#[test]
fn admission_stops_at_whoever_has_only_entered_the_window() {
    let queue = queue(3);
    let decision = Decision::of(&queue, &liveness(&queue, &[POLLED, ENTERED, POLLED]), 3);
    assert_eq!(decision.admitted, tokens(&queue, &[0]));
    assert_eq!(decision.parked, []);
    // The grace after entering is half a grace longer, but it ends.
    let late = Note::Entered(NOW_MS - GRACE_MS * 3 / 2);
    assert_eq!(Decision::of(&queue, &liveness(&queue, &[POLLED, late, POLLED]), 3).parked, []);
    let gone = Note::Entered(NOW_MS - GRACE_MS * 3 / 2 - 1);
    let decision = Decision::of(&queue, &liveness(&queue, &[POLLED, gone, POLLED]), 3);
    assert_eq!(decision.admitted, tokens(&queue, &[0, 2]));
    assert_eq!(decision.parked, tokens(&queue, &[1]));
}

#[test]
fn nobody_is_passed_while_nobody_is_heard_nor_for_a_grace_after() {
    let queue = queue(2);
    let heard = liveness(&queue, &[SILENT, POLLED]);
    for hearing in [
        Hearing { quiet_ms: Some(GRACE_MS / 10 + 1), ..heard.hearing },
        Hearing { quiet_ms: None, ..heard.hearing },
        Hearing { resumed_ms: NOW_MS - GRACE_MS, ..heard.hearing },
    ] {
        let decision = Decision::of(&queue, &Liveness { hearing, ..heard.clone() }, 2);
        assert_eq!(decision, Decision::default(), "{hearing:?}");
    }
    let quiet_ms = Some(GRACE_MS / 10);
    let hearing = Hearing { resumed_ms: NOW_MS - GRACE_MS - 1, quiet_ms, ..heard.hearing };
    assert_eq!(Decision::of(&queue, &Liveness { hearing, ..heard }, 2).parked.len(), 1);
}

#[test]
fn a_poll_from_before_an_outage_lets_nobody_in() {
    let queue = queue(1);
    let polled = liveness(&queue, &[POLLED]);
    let hearing = Hearing { resumed_ms: NOW_MS - 500, ..polled.hearing };
    let decision = Decision::of(&queue, &Liveness { hearing, ..polled.clone() }, 1);
    assert_eq!(decision, Decision::default());
    let hearing = Hearing { quiet_ms: Some(GRACE_MS + 1), ..polled.hearing };
    assert_eq!(Decision::of(&queue, &Liveness { hearing, ..polled }, 1), Decision::default());
}

#[test]
fn a_silent_window_goes_only_if_it_is_whole_and_somebody_behind_it_polls() {
    let queue = queue(3);
    let all = liveness(&queue, &[SILENT; 3]);
    assert_eq!(Decision::of(&queue, &all, 1), Decision::default(), "for nobody's sake");
    let hearing = Hearing { behind_ms: Some(NOW_MS - 1_000), ..all.hearing };
    let behind = Liveness { hearing, ..all };
    let decision = Decision::of(&queue, &behind, 1);
    assert_eq!((decision.admitted.len(), decision.parked), (0, tokens(&queue, &[0, 1, 2])));
    // Accounts behind one that may be present do not pass it.
    for (notes, admitted) in [([SILENT, ENTERED, SILENT], 0), ([POLLED, SILENT, SILENT], 1)] {
        let decision = Decision::of(&queue, &Liveness { hearing, ..liveness(&queue, &notes) }, 2);
        assert_eq!((decision.admitted.len(), decision.parked), (admitted, vec![]));
    }
    let unread = Liveness { is_whole: false, ..behind.clone() };
    assert_eq!(Decision::of(&queue, &unread, 1), Decision::default());
    let hearing = Hearing { behind_ms: Some(NOW_MS - GRACE_MS - 1), ..behind.hearing };
    assert_eq!(Decision::of(&queue, &Liveness { hearing, ..behind }, 1), Decision::default());
}

#[test]
fn whoever_redis_has_elsewhere_is_moved_and_never_passed() {
    let whole = queue(3);
    // Redis has an account that the queue lacks.
    let liveness = liveness(&whole, &[POLLED; 3]);
    let decision = Decision::of(&whole[1..], &liveness, 1);
    assert_eq!(decision.misplaced, [whole[0].account_id]);
    assert_eq!(decision.admitted, tokens(&whole, &[1]));
    // Redis lacks an account of the queue; tokens behind its notes are not read.
    let mut lacking = liveness;
    lacking.notes.remove(&whole[1].account_id);
    let longer = queue(5);
    let decision = Decision::of(&longer, &lacking, 3);
    assert_eq!(decision.misplaced, [whole[1].account_id]);
    assert_eq!(decision.admitted, tokens(&whole, &[0]));
}

#[test]
fn whoever_polled_within_the_grace_is_counted_as_present() {
    let queue = queue(5);
    let liveness = liveness(&queue, &[POLLED, SILENT, ENTERED, POLLED, POLLED]);
    assert_eq!(liveness.count_present(), 3);
}

#[test]
fn what_redis_has_of_an_account_tells_a_poll_from_entering_the_window() {
    assert_eq!(Note::of(NOW_MS), Note::Polled(NOW_MS));
    assert_eq!(Note::of(-NOW_MS), Note::Entered(NOW_MS));
}
