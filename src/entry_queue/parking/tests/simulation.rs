//! Simulated queues with polls, departures, returns, lost memory and outages; the window is ten.

use proptest::prelude::*;

use super::*;

const WINDOW_SMALL: usize = 10;
/// Simulated time between two steps, in milliseconds.
const STEP_MS: usize = 500;
/// Upper bound of every event's beginning.
const EVENTFUL_MS: i64 = 1_800_000;
/// Time by which every present account must be admitted, however many absent ones are before it.
const END_MS: i64 = EVENTFUL_MS + 8 * 3_600_000;

/// Behaviour of one account, in seconds since its join.
#[derive(Clone, Debug)]
enum Behaviour {
    Polls,
    Vanishes { after_secs: i64 },
    Returns { after_secs: i64, for_secs: i64 },
}

/// Events of one simulated queue.
#[derive(Clone, Debug)]
struct Script {
    /// Join time in seconds and behaviour of each account, in number order.
    people: Vec<(i64, Behaviour)>,
    /// Outages: beginning and length, in seconds.
    outages: Vec<(i64, i64)>,
    /// Moments at which Redis loses its memory, in seconds.
    losses: Vec<i64>,
    capacity: usize,
    stay_secs: i64,
    jitter: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    Waiting,
    Parked,
    Inside { until_ms: i64 },
    Over,
}

#[derive(Clone, Debug)]
struct SimulatedAccount {
    who: QueuedAccount,
    joins_ms: i64,
    behaviour: Behaviour,
    state: State,
    next_poll_ms: i64,
    advised_ms: i64,
    /// Whether every advised poll since the join, or the last return, was made.
    is_faithful: bool,
}

impl SimulatedAccount {
    fn is_there(&self, now_ms: i64) -> bool {
        let secs = (now_ms - self.joins_ms).div_euclid(1_000);
        match self.behaviour {
            Behaviour::Polls => true,
            Behaviour::Vanishes { after_secs } => secs < after_secs,
            Behaviour::Returns { after_secs, for_secs } => {
                secs < after_secs || secs >= after_secs + for_secs
            }
        }
    }
}

/// State that hearing.lua, poll.lua and head.lua keep.
#[derive(Clone, Debug)]
struct Memory {
    /// Upper bound of a time without polls that counts as heard.
    counted_ms_max: i64,
    heard_ms: i64,
    last_ms: Option<i64>,
    resumed_ms: i64,
    behind_ms: Option<i64>,
    notes: HashMap<AccountId, Note>,
}

impl Memory {
    fn new(counted_ms_max: i64) -> Self {
        let notes = HashMap::new();
        Self { counted_ms_max, heard_ms: 1, last_ms: None, resumed_ms: 1, behind_ms: None, notes }
    }

    fn gap_ms(&self, now_ms: i64) -> i64 {
        self.last_ms.map_or(0, |last_ms| now_ms - last_ms)
    }

    fn clock(&self, now_ms: i64) -> i64 {
        self.heard_ms + self.gap_ms(now_ms).min(self.counted_ms_max)
    }

    fn poll(&mut self, now_ms: i64, account_id: AccountId, n_ahead: usize) {
        let (heard_ms, gap_ms) = (self.clock(now_ms), self.gap_ms(now_ms));
        if self.last_ms.is_none() || gap_ms > GRACE_MS {
            self.resumed_ms = heard_ms;
        }
        (self.heard_ms, self.last_ms) = (heard_ms, Some(now_ms));
        if n_ahead < WINDOW_SMALL {
            self.notes.insert(account_id, Note::Polled(heard_ms));
        } else {
            self.notes.remove(&account_id);
            self.behind_ms = Some(heard_ms);
        }
    }

    fn head(&mut self, now_ms: i64, queued: &[QueuedAccount]) -> Liveness {
        let heard_ms = self.clock(now_ms);
        let window = queued.iter().take(WINDOW_SMALL).map(|account| account.account_id);
        let notes = window
            .map(|id| (id, *self.notes.entry(id).or_insert(Note::Entered(heard_ms))))
            .collect();
        let (resumed_ms, behind_ms) = (self.resumed_ms, self.behind_ms);
        let quiet_ms = self.last_ms.map(|last_ms| now_ms - last_ms);
        let hearing = Hearing { heard_ms, quiet_ms, resumed_ms, behind_ms };
        Liveness { notes, hearing, is_whole: true, grace_ms: GRACE_MS }
    }
}

/// Runs `script` by the rules as they are; an error describes the broken rule.
fn play(script: &Script) -> Result<(), String> {
    play_by(script, GRACE_MS / 10, |liveness| liveness)
}

fn play_by(
    script: &Script,
    counted_ms_max: i64,
    judge: impl Fn(Liveness) -> Liveness,
) -> Result<(), String> {
    let mut people: Vec<SimulatedAccount> = queue(u128::try_from(script.people.len()).unwrap())
        .into_iter()
        .zip(&script.people)
        .map(|(who, (joins_secs, behaviour))| SimulatedAccount {
            who,
            joins_ms: joins_secs * 1_000,
            behaviour: behaviour.clone(),
            state: State::Outside,
            next_poll_ms: joins_secs * 1_000,
            advised_ms: 1_000,
            is_faithful: true,
        })
        .collect();
    let (mut memory, mut jitter, mut losses) =
        (Memory::new(counted_ms_max), script.jitter, script.losses.clone());
    losses.sort_unstable();
    for now_ms in (0..END_MS).step_by(STEP_MS) {
        if losses.first().is_some_and(|secs| secs * 1_000 <= now_ms) {
            losses.remove(0);
            memory = Memory::new(counted_ms_max);
        }
        let is_down = script.outages.iter().any(|(from_secs, for_secs)| {
            (from_secs * 1_000..(from_secs + for_secs) * 1_000).contains(&now_ms)
        });
        poll_all(&mut people, &mut memory, &mut jitter, now_ms, is_down);
        admit(&mut people, &mut memory, script, now_ms, &judge)?;
        let is_over = |one: &SimulatedAccount| {
            !matches!(one.state, State::Waiting | State::Parked | State::Outside)
                || !one.is_there(END_MS)
        };
        if now_ms > EVENTFUL_MS && people.iter().all(is_over) {
            return Ok(());
        }
    }
    let left = people.iter().filter(|one| one.is_there(END_MS) && one.state == State::Waiting);
    Err(format!("{} people wait for ever", left.count()))
}

fn poll_all(
    people: &mut [SimulatedAccount],
    memory: &mut Memory,
    jitter: &mut u64,
    now_ms: i64,
    is_down: bool,
) {
    for idx in 0..people.len() {
        let one = &mut people[idx];
        if !one.is_there(now_ms) {
            one.is_faithful = false;
            one.next_poll_ms = now_ms;
            continue;
        }
        if one.next_poll_ms > now_ms || matches!(one.state, State::Inside { .. } | State::Over) {
            continue;
        }
        // A poll that is not heard is repeated after the last advised interval.
        one.next_poll_ms = now_ms + one.advised_ms;
        if is_down {
            continue;
        }
        (one.state, one.is_faithful) = (State::Waiting, true);
        let account_id = one.who.account_id;
        let n_ahead = people[..idx].iter().filter(|other| other.state == State::Waiting).count();
        memory.poll(now_ms, account_id, n_ahead);
        *jitter = jitter.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let advised_ms = match n_ahead {
            0..3 => 1_000,
            3..WINDOW_SMALL => 15_500,
            _ => 26_000 + i64::try_from((*jitter >> 33) % 8_001).unwrap(),
        };
        (people[idx].advised_ms, people[idx].next_poll_ms) = (advised_ms, now_ms + advised_ms);
    }
}

fn admit(
    people: &mut [SimulatedAccount],
    memory: &mut Memory,
    script: &Script,
    now_ms: i64,
    judge: impl Fn(Liveness) -> Liveness,
) -> Result<(), String> {
    for one in people.iter_mut() {
        if matches!(one.state, State::Inside { until_ms } if until_ms <= now_ms) {
            one.state = State::Over;
        }
    }
    let n_inside = people.iter().filter(|one| matches!(one.state, State::Inside { .. })).count();
    let waiting = people.iter().filter(|one| one.state == State::Waiting);
    let queued: Vec<QueuedAccount> = waiting.map(|one| one.who).collect();
    let liveness = judge(memory.head(now_ms, &queued));
    let queued = queued.get(..WINDOW_SMALL).unwrap_or(&queued);
    let room = script.capacity.saturating_sub(n_inside);
    if room == 0 {
        return Ok(());
    }
    let decision = Decision::of(queued, &liveness, room);
    for one in people.iter_mut() {
        let was_waiting = one.state == State::Waiting;
        if decision.parked.contains(&one.who.token_id) {
            one.state = State::Parked;
        } else if decision.admitted.contains(&one.who.token_id) {
            one.state = State::Inside { until_ms: now_ms + script.stay_secs * 1_000 };
        }
        if was_waiting && one.state != State::Waiting {
            memory.notes.remove(&one.who.account_id);
        }
        if one.is_faithful && was_waiting && one.state == State::Parked {
            return Err(format!("{one:?} polled as advised and was parked at {now_ms}"));
        }
    }
    let is_admitted = |one: &SimulatedAccount| decision.admitted.contains(&one.who.token_id);
    let last = people.iter().rposition(is_admitted).unwrap_or(0);
    match people[..last].iter().find(|one| one.state == State::Waiting && one.is_faithful) {
        Some(passed) => Err(format!("{passed:?} polled as advised and was passed at {now_ms}")),
        None => Ok(()),
    }
}

fn behaviour() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        4 => Just(Behaviour::Polls),
        3 => (1_i64..600).prop_map(|after_secs| Behaviour::Vanishes { after_secs }),
        2 => (1_i64..600, 1_i64..900)
            .prop_map(|(after_secs, for_secs)| Behaviour::Returns { after_secs, for_secs }),
    ]
}

prop_compose! {
    fn script()(
        n_dead in 0_usize..35,
        mut joined in prop::collection::vec((0_i64..900, behaviour()), 1..30),
        outages in prop::collection::vec((0_i64..1_500, 1_i64..300), 0..4),
        losses in prop::collection::vec(0_i64..1_800, 0..3),
        (capacity, stay_secs) in (1_usize..4, 5_i64..120),
        jitter: u64,
    ) -> Script {
        joined.sort_by_key(|(secs, _)| *secs);
        let dead = std::iter::repeat_n((0, Behaviour::Vanishes { after_secs: 1 }), n_dead);
        let people = dead.chain(joined).collect();
        Script { people, outages, losses, capacity, stay_secs, jitter }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// The rule of this module, and that absent accounts do not stop present ones for ever.
    #[test]
    fn nobody_who_polled_as_advised_is_passed_by_a_later_number(script in script()) {
        prop_assert_eq!(play(&script), Ok(()));
    }
}

fn steady(people: Vec<(i64, Behaviour)>, outages: Vec<(i64, i64)>) -> Script {
    Script { people, outages, losses: Vec::new(), capacity: 1, stay_secs: 30, jitter: 1 }
}

/// Canary: without the note of entering, the same simulation finds the rule broken.
#[test]
fn without_the_note_of_entering_those_behind_no_shows_are_passed() {
    let dead = std::iter::repeat_n((0, Behaviour::Vanishes { after_secs: 1 }), 2 * WINDOW_SMALL);
    let script = steady(dead.chain((0..20).map(|_| (1, Behaviour::Polls))).collect(), Vec::new());
    assert_eq!(play(&script), Ok(()));
    let broken = play_by(&script, GRACE_MS / 10, |mut liveness| {
        for note in liveness.notes.values_mut() {
            if matches!(note, Note::Entered(_)) {
                *note = Note::Polled(-GRACE_MS);
            }
        }
        liveness
    });
    assert!(broken.unwrap_err().contains("polled as advised"));
}

/// Canary: with a clock that counts outages as silence, the same simulation finds it broken.
#[test]
fn without_the_clock_that_stands_still_an_outage_passes_everybody() {
    let people = (0..18).map(|nth| (nth, Behaviour::Polls)).collect();
    let script = Script { capacity: 8, stay_secs: 120, ..steady(people, vec![(40, 100)]) };
    assert_eq!(play(&script), Ok(()));
    let broken = play_by(&script, i64::MAX, |mut liveness| {
        liveness.hearing.quiet_ms = Some(0);
        liveness.hearing.resumed_ms = -GRACE_MS;
        liveness
    });
    assert!(broken.unwrap_err().contains("polled as advised"));
}
