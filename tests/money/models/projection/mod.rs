//! Every order in which the projection of a small queue can run: two accounts, a writer for each change,
//! a rebuild and a comparison, of which one dies, and a Redis that loses its
//! memory twice.
//!
//! The model has the steps of `src/entry_queue/projection/` and its scripts, each as atomic as it is there: a
//! statement that reads PostgreSQL, or a script in Redis. A checker visits every state. Each rule that
//! the projection cannot do without is broken in a model of its own, which must be found wrong.

mod process;
mod redis;

use stateright::{Checker, Model, Property};

use self::{
    process::{Process, Task},
    redis::Memory,
};

const ACCOUNTS: usize = 2;
/// States of one model: more mean that a change made it too large for every run of the tests.
const STATES_MAX: usize = 200_000;

/// Position of an account as PostgreSQL has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Position {
    #[default]
    Nowhere,
    Waiting(u8),
    Inside,
}

impl Position {
    fn number(self) -> Option<u8> {
        if let Self::Waiting(number) = self { Some(number) } else { None }
    }
}

type Positions = [Position; ACCOUNTS];

/// Part of the projection that a model leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Without {
    Nothing,
    /// A writer ends after its first write.
    SecondRead,
    /// A refused number is not written again.
    Repair,
    /// A batch of a rebuild is written into any memory, and any memory is declared complete.
    Nonce,
    /// What a writer that died left behind stays.
    Comparison,
    /// A number is counted whether or not the smaller ones were written.
    Order,
}

/// Bounds of a model, and what it leaves out.
#[derive(Clone, Copy, Debug)]
struct Projection {
    without: Without,
    changes: u8,
    crashes: u8,
    losses: u8,
}

/// Model of two accounts with room for what may happen to the writers.
const WRITERS: Projection =
    Projection { without: Without::Nothing, changes: 3, crashes: 1, losses: 0 };
/// Model with a Redis that forgets everything, and with a rebuild that may die.
const LOSS: Projection =
    Projection { without: Without::Nothing, changes: 2, crashes: 1, losses: 1 };
/// Model with a Redis that forgets everything once more, during the rebuild.
const LOSSES: Projection =
    Projection { without: Without::Nothing, changes: 1, crashes: 0, losses: 2 };

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Queue {
    database: Positions,
    next_number: u8,
    memory: Memory,
    /// Running processes, in the order in which they began.
    processes: Vec<Process>,
    /// Whether a writer died since the last comparison began with nothing else running.
    is_disturbed: bool,
    changes_left: u8,
    crashes_left: u8,
    losses_left: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// An account joins, and is projected after the commit.
    Join(usize),
    /// The first of the queue is admitted.
    Admit(usize),
    Leave(usize),
    /// A process takes its next step.
    Step(usize),
    /// A process dies.
    Crash(usize),
    /// Redis loses its memory.
    Lose,
    /// The lease of a rebuild that died ends.
    EndLease,
    Rebuild,
    Compare,
}

impl Queue {
    fn is_quiet(&self) -> bool {
        self.processes.is_empty()
    }

    /// Whether Redis has all accounts where PostgreSQL has them, and has counted the waiting ones.
    fn is_equal(&self) -> bool {
        (0..ACCOUNTS).all(|account| self.memory.has(account, self.database[account]))
    }

    fn is_counted(&self) -> bool {
        let numbers = self.database.iter().filter_map(|position| position.number());
        numbers.max().is_none_or(|last| last <= self.memory.counted_to)
    }

    /// Returns the change that an account may make next.
    fn changes_of(&self, account: usize) -> Vec<Action> {
        match self.database[account] {
            Position::Nowhere => vec![Action::Join(account)],
            Position::Waiting(number) => {
                let numbers = self.database.iter().filter_map(|position| position.number());
                let is_first = numbers.min() == Some(number);
                let admit = is_first.then_some(Action::Admit(account));
                admit.into_iter().chain([Action::Leave(account)]).collect()
            }
            Position::Inside => vec![Action::Leave(account)],
        }
    }

    fn change(&mut self, account: usize, to: Position) {
        self.database[account] = to;
        self.changes_left -= 1;
        self.processes.push(Process::project(1 << account));
    }

    fn is_running(&self, is_task: fn(&Task) -> bool) -> bool {
        self.processes.iter().any(|process| is_task(&process.task))
    }
}

impl Model for Projection {
    type State = Queue;
    type Action = Action;

    fn init_states(&self) -> Vec<Queue> {
        vec![Queue {
            database: Positions::default(),
            next_number: 1,
            memory: Memory::of_an_empty_queue(),
            processes: Vec::new(),
            is_disturbed: false,
            changes_left: self.changes,
            crashes_left: self.crashes,
            losses_left: self.losses,
        }]
    }

    fn actions(&self, queue: &Queue, actions: &mut Vec<Action>) {
        if queue.changes_left > 0 {
            actions.extend((0..ACCOUNTS).flat_map(|account| queue.changes_of(account)));
        }
        actions.extend((0..queue.processes.len()).map(Action::Step));
        if queue.crashes_left > 0 {
            actions.extend((0..queue.processes.len()).map(Action::Crash));
        }
        if queue.losses_left > 0 {
            actions.push(Action::Lose);
        }
        let is_rebuilding = queue.is_running(|task| matches!(task, Task::Rebuild(_)));
        if !queue.memory.is_complete && !is_rebuilding {
            let is_leased = queue.memory.nonce.is_some();
            actions.push(if is_leased { Action::EndLease } else { Action::Rebuild });
        }
        let is_needed = !queue.is_equal() || !queue.is_counted();
        if self.without != Without::Comparison
            && queue.memory.is_complete
            && queue.is_quiet()
            && is_needed
        {
            actions.push(Action::Compare);
        }
    }

    fn next_state(&self, queue: &Queue, action: Action) -> Option<Queue> {
        let mut next = queue.clone();
        match action {
            Action::Join(account) => {
                next.next_number += 1;
                next.change(account, Position::Waiting(queue.next_number));
            }
            Action::Admit(account) => next.change(account, Position::Inside),
            Action::Leave(account) => next.change(account, Position::Nowhere),
            Action::Step(nth) => {
                let mut process = next.processes.remove(nth);
                let database = next.database;
                if process.step(self.without, database, &mut next.memory) {
                    next.processes.insert(nth, process);
                }
            }
            Action::Crash(nth) => {
                next.processes.remove(nth);
                next.crashes_left -= 1;
                next.is_disturbed = true;
            }
            Action::Lose => {
                next.memory = Memory::default();
                next.losses_left -= 1;
            }
            Action::EndLease => next.memory.nonce = None,
            Action::Rebuild => next.processes.push(Process::rebuild(queue.losses_left)),
            Action::Compare => {
                next.is_disturbed = false;
                next.processes.push(Process::compare());
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            // A comparison repairs only what a dead process left.
            Property::always("at rest Redis equals PostgreSQL", |_, queue: &Queue| {
                let is_settled = queue.is_quiet() && queue.memory.is_complete;
                !is_settled || queue.is_disturbed || queue.is_equal()
            }),
            Property::always("what is left to itself ends equal", |model: &Self, queue: &Queue| {
                let mut actions = Vec::new();
                model.actions(queue, &mut actions);
                !actions.is_empty() || (queue.memory.is_complete && queue.is_equal())
            }),
            // Otherwise a person who saw how many are ahead would see one more later.
            Property::always("a counted number was written", |_, queue: &Queue| {
                let numbers = queue.database.iter().filter_map(|position| position.number());
                let mut counted = numbers.filter(|number| *number <= queue.memory.counted_to);
                !queue.memory.is_complete
                    || counted.all(|number| queue.memory.was_written & (1 << number) != 0)
            }),
            Property::sometimes("somebody waits and is counted", |_, queue: &Queue| {
                let mut numbers = queue.database.iter().filter_map(|position| position.number());
                let is_settled = queue.memory.is_complete && queue.is_equal();
                numbers.next().is_some() && is_settled && queue.is_counted()
            }),
        ]
    }
}

/// Visits every state, and returns what was found wrong, with the shortest way there.
fn found(model: Projection) -> Vec<String> {
    let checker = model.checker().spawn_bfs().join();
    let n_states = checker.unique_state_count();
    assert!(n_states <= STATES_MAX, "{model:?} has {n_states} states");
    let wrong = model.properties().into_iter().filter_map(|property| {
        let found = checker.discovery(property.name);
        let is_example = matches!(property.expectation, stateright::Expectation::Sometimes);
        match found {
            Some(path) if !is_example => {
                Some(format!("{}: {:?}", property.name, path.into_actions()))
            }
            None if is_example => Some(format!("never: {}", property.name)),
            _ => None,
        }
    });
    wrong.collect()
}

#[test]
fn in_any_order_of_their_steps_the_writers_leave_redis_equal_to_postgresql() {
    assert_eq!(found(WRITERS), Vec::<String>::new());
}

#[test]
fn whenever_redis_loses_its_memory_a_rebuild_leaves_it_equal_to_postgresql() {
    assert_eq!(found(LOSS), Vec::<String>::new());
    assert_eq!(found(LOSSES), Vec::<String>::new());
}

/// The canary of the tests above: each rule is needed, and the models notice.
#[test]
fn without_any_one_of_its_rules_the_projection_goes_wrong() {
    for (model, without, property) in [
        (WRITERS, Without::SecondRead, "at rest Redis equals PostgreSQL"),
        (WRITERS, Without::Repair, "at rest Redis equals PostgreSQL"),
        (WRITERS, Without::Comparison, "what is left to itself ends equal"),
        (WRITERS, Without::Order, "a counted number was written"),
        (LOSSES, Without::Nonce, "at rest Redis equals PostgreSQL"),
    ] {
        let wrong = found(Projection { without, ..model });
        assert!(wrong.iter().any(|each| each.starts_with(property)), "{without:?}: {wrong:#?}");
    }
}
