//! What people and the office may do next.

use proptest::{prelude::*, sample::Index};

use super::model::{GUEST, PEOPLE, SEATS};

/// What is ordered at once.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    Seat(usize),
    Pair(usize, usize),
    Standing,
}

/// What is done next; an index means what was made so far.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Hold {
        who: usize,
        choice: Choice,
        is_child: bool,
        has_code: bool,
    },
    Pay {
        nth: Index,
    },
    /// A friend pays one place of a hold of two, its owner the other.
    PayTogether {
        nth: Index,
        friend: usize,
    },
    Release {
        nth: Index,
    },
    /// A hold reaches its end, and the worker ends it.
    Lapse {
        nth: Index,
    },
    Return {
        nth: Index,
    },
    TakeBack {
        nth: Index,
    },
    HandOver {
        nth: Index,
        to: usize,
    },
    Answer {
        nth: Index,
        accepts: bool,
    },
    /// A ticket is given back by itself.
    GiveBack {
        nth: Index,
    },
    /// A ticket is to pay for what its holder holds next.
    Exchange {
        nth: Index,
    },
    EndExchange {
        nth: Index,
    },
    Refund {
        nth: Index,
        by_office: bool,
    },
    Wish {
        who: usize,
    },
    Reverse {
        who: usize,
    },
    RenameZone,
    HideOrShow,
    Delete {
        who: usize,
    },
    /// The door lets the holder of a ticket in.
    Admit {
        nth: Index,
    },
    Undo {
        nth: Index,
    },
    LockOrUnlock {
        who: usize,
    },
    Transfer {
        between: (usize, usize),
        amount: i64,
        is_planned: bool,
    },
    Reply {
        nth: Index,
        reply: Reply,
    },
}

/// What ends a transfer that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Accept,
    Reject,
    Cancel,
}

/// Returns any step, the frequent ones more often.
pub(super) fn any_step() -> impl Strategy<Value = Step> {
    let nth = any::<Index>;
    let choice = prop_oneof![
        3 => (0..SEATS).prop_map(Choice::Seat),
        3 => (0..SEATS, 1..SEATS).prop_map(|(one, by)| Choice::Pair(one, (one + by) % SEATS)),
        2 => Just(Choice::Standing),
    ];
    let flag = || proptest::bool::weighted(0.25);
    let amount = prop::sample::select(&[500, 1_500, 4_000][..]);
    let reply =
        prop::sample::select(&[Reply::Accept, Reply::Accept, Reply::Reject, Reply::Cancel][..]);
    prop_oneof![
        8 => (0..PEOPLE, choice, flag(), flag()).prop_map(|(who, choice, is_child, has_code)| {
            Step::Hold { who, choice, is_child, has_code }
        }),
        7 => nth().prop_map(|nth| Step::Pay { nth }),
        2 => (nth(), 0..PEOPLE).prop_map(|(nth, friend)| Step::PayTogether { nth, friend }),
        1 => nth().prop_map(|nth| Step::Release { nth }),
        1 => nth().prop_map(|nth| Step::Lapse { nth }),
        5 => nth().prop_map(|nth| Step::Return { nth }),
        2 => nth().prop_map(|nth| Step::TakeBack { nth }),
        3 => nth().prop_map(|nth| Step::GiveBack { nth }),
        4 => nth().prop_map(|nth| Step::Exchange { nth }),
        1 => nth().prop_map(|nth| Step::EndExchange { nth }),
        3 => (nth(), 0..PEOPLE).prop_map(|(nth, to)| Step::HandOver { nth, to }),
        3 => (nth(), any::<bool>()).prop_map(|(nth, accepts)| Step::Answer { nth, accepts }),
        3 => (nth(), any::<bool>()).prop_map(|(nth, by_office)| Step::Refund { nth, by_office }),
        2 => (0..PEOPLE).prop_map(|who| Step::Wish { who }),
        1 => (0..PEOPLE).prop_map(|who| Step::Reverse { who }),
        1 => Just(Step::RenameZone),
        1 => Just(Step::HideOrShow),
        1 => (GUEST + 1..PEOPLE).prop_map(|who| Step::Delete { who }),
        3 => nth().prop_map(|nth| Step::Admit { nth }),
        2 => nth().prop_map(|nth| Step::Undo { nth }),
        1 => (0..PEOPLE).prop_map(|who| Step::LockOrUnlock { who }),
        2 => ((0..PEOPLE, 0..PEOPLE), amount, flag()).prop_map(|(between, amount, is_planned)| {
            Step::Transfer { between, amount, is_planned }
        }),
        2 => (nth(), reply).prop_map(|(nth, reply)| Step::Reply { nth, reply }),
    ]
}
