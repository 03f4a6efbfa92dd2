//! Processes of the model: each step is one statement or one script, and any other may come between.

use super::{
    ACCOUNTS, Position, Positions, Without,
    redis::{Batch, Memory, Written},
};

/// Process of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub(super) task: Task,
    /// Projection that is under way; `None` before and between.
    projection: Option<Round>,
    /// Highest number that it began to project.
    last: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// Projects accounts after their commit, a bit for each: `project_all`.
    Project(u8),
    /// Projects what waits above a number and up to another: `cover`.
    Cover { counted_to: u8, last: u8 },
    /// Compares both: `compare_queue`.
    Compare(Comparing),
    /// Fills the memory: `rebuild`.
    Rebuild(Rebuilding),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Comparing {
    /// Reads what Redis has counted.
    Begin,
    /// Reads PostgreSQL, after what was not counted was covered.
    Read,
    /// Reads Redis beside these positions.
    Look(Positions),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rebuilding {
    Begin(u8),
    /// Lists the accounts inside.
    Inside(u8),
    /// Lists the waiting accounts with a number above the second.
    Waiting(u8, u8),
    Finish(u8, u8),
}

/// Projection of positions that were just read: `project_read`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Round {
    /// All accounts of the projection.
    accounts: u8,
    expected: Positions,
    batch: Batch,
    /// Accounts that the last write was refused; `None` before the write.
    refused: Option<u8>,
    counted_to: u8,
    is_complete: bool,
}

/// What became of a projection.
enum Outcome {
    Running,
    /// Ended; whether the queue is complete, and what is counted.
    Ended {
        is_complete: bool,
        counted_to: u8,
    },
    Overtaken,
}

impl Round {
    fn of(accounts: u8, read: Positions, covered: (u8, u8), nonce: Option<u8>) -> Self {
        let expected = only(accounts, read);
        let batch = Batch { accounts, positions: expected, nonce, covered, is_repair: false };
        Self { accounts, expected, batch, refused: None, counted_to: 0, is_complete: false }
    }

    fn step(&mut self, without: Without, database: Positions, memory: &mut Memory) -> Outcome {
        let Some(refused) = self.refused else {
            let Some(written) = memory.write(&self.batch, without) else {
                return Outcome::Overtaken;
            };
            let Written { is_complete, counted_to, refused } = written;
            (self.is_complete, self.counted_to) = (is_complete, counted_to);
            self.refused = Some(refused);
            return match without {
                Without::SecondRead => Outcome::Ended { is_complete, counted_to },
                _ => Outcome::Running,
            };
        };
        let read = only(self.accounts, database);
        let differs = |account: &usize| read[*account] != self.expected[*account];
        let changed = (0..ACCOUNTS).filter(differs).fold(0, |changed, each| changed | 1 << each);
        let again = if without == Without::Repair { changed } else { changed | refused };
        if again == 0 {
            let &mut Self { is_complete, counted_to, .. } = self;
            return Outcome::Ended { is_complete, counted_to };
        }
        self.expected = read;
        let is_repair = refused != 0;
        self.batch =
            Batch { accounts: again, positions: read, covered: (0, 0), is_repair, ..self.batch };
        self.refused = None;
        Outcome::Running
    }
}

impl Process {
    fn new(task: Task) -> Self {
        Self { task, projection: None, last: 0 }
    }

    pub(super) fn project(accounts: u8) -> Self {
        Self::new(Task::Project(accounts))
    }

    pub(super) fn compare() -> Self {
        Self::new(Task::Compare(Comparing::Begin))
    }

    pub(super) fn rebuild(nonce: u8) -> Self {
        Self::new(Task::Rebuild(Rebuilding::Begin(nonce)))
    }

    /// Takes the next step; returns whether there is another.
    pub(super) fn step(
        &mut self,
        without: Without,
        database: Positions,
        memory: &mut Memory,
    ) -> bool {
        if let Some(round) = &mut self.projection {
            return match round.step(without, database, memory) {
                Outcome::Running => true,
                Outcome::Overtaken => false,
                Outcome::Ended { is_complete, counted_to } => {
                    self.projection = None;
                    self.go_on(is_complete, counted_to)
                }
            };
        }
        match self.task {
            Task::Project(accounts) => {
                self.last = highest(accounts, database);
                let round = Round::of(accounts, database, covered_by(accounts, database), None);
                self.projection = Some(round);
            }
            Task::Cover { counted_to, last } => {
                let listed = waiting_above(counted_to, database);
                let to = highest(listed, database).max(last);
                if to <= counted_to {
                    return false;
                }
                self.projection = Some(Round::of(listed, database, (counted_to, to), None));
            }
            Task::Compare(Comparing::Begin) => {
                let listed = waiting_above(memory.counted_to, database);
                let (after, to) = (memory.counted_to, highest(listed, database));
                self.task = Task::Compare(Comparing::Read);
                if to > after {
                    self.projection = Some(Round::of(listed, database, (after, to), None));
                }
            }
            Task::Compare(Comparing::Read) => {
                self.task = Task::Compare(Comparing::Look(database));
            }
            Task::Compare(Comparing::Look(read)) => {
                let differing = (0..ACCOUNTS).filter(|each| !memory.has(*each, read[*each]));
                let differing = differing.fold(0, |all, each| all | 1 << each);
                self.task = Task::Project(differing);
                return differing != 0;
            }
            Task::Rebuild(rebuilding) => {
                return self.rebuild_on(rebuilding, without, database, memory);
            }
        }
        true
    }

    fn rebuild_on(
        &mut self,
        rebuilding: Rebuilding,
        without: Without,
        database: Positions,
        memory: &mut Memory,
    ) -> bool {
        match rebuilding {
            Rebuilding::Begin(nonce) => {
                self.task = Task::Rebuild(Rebuilding::Inside(nonce));
                memory.begin(nonce)
            }
            Rebuilding::Inside(nonce) => {
                self.task = Task::Rebuild(Rebuilding::Waiting(nonce, 0));
                let inside = |each: &usize| database[*each] == Position::Inside;
                let inside = (0..ACCOUNTS).filter(inside).fold(0, |all, each| all | 1 << each);
                if inside != 0 {
                    self.projection = Some(Round::of(inside, database, (0, 0), Some(nonce)));
                }
                true
            }
            Rebuilding::Waiting(nonce, after) => {
                let listed = waiting_above(after, database);
                if listed == 0 {
                    self.task = Task::Rebuild(Rebuilding::Finish(nonce, after));
                } else {
                    let last = highest(listed, database);
                    self.task = Task::Rebuild(Rebuilding::Waiting(nonce, last));
                    self.projection = Some(Round::of(listed, database, (0, 0), Some(nonce)));
                }
                true
            }
            Rebuilding::Finish(nonce, counted_to) => {
                self.task = Task::Cover { counted_to, last: counted_to };
                memory.finish(nonce, counted_to, without)
            }
        }
    }

    /// Goes on behind a projection; returns whether there is another step.
    fn go_on(&mut self, is_complete: bool, now_counted: u8) -> bool {
        match self.task {
            Task::Project(_) | Task::Cover { .. } if !is_complete => false,
            Task::Project(_) => {
                self.task = Task::Cover { counted_to: now_counted, last: self.last };
                self.last > now_counted
            }
            Task::Cover { last, .. } => {
                self.task = Task::Cover { counted_to: now_counted, last };
                now_counted < last
            }
            Task::Compare(_) | Task::Rebuild(_) => true,
        }
    }
}

/// Returns the positions of some accounts, the others being nowhere.
fn only(accounts: u8, positions: Positions) -> Positions {
    std::array::from_fn(|each| {
        if accounts & (1 << each) != 0 { positions[each] } else { Position::Nowhere }
    })
}

/// Returns the range of the numbers of accounts, if they are consecutive: `Covered::by`.
fn covered_by(accounts: u8, database: Positions) -> (u8, u8) {
    let chosen = only(accounts, database);
    match accounts.count_ones() {
        1 => highest(accounts, chosen).checked_sub(1).map_or((0, 0), |after| (after, after + 1)),
        _ => (0, 0),
    }
}

fn waiting_above(after: u8, database: Positions) -> u8 {
    let is_listed = |each: &usize| database[*each].number().is_some_and(|number| number > after);
    (0..ACCOUNTS).filter(is_listed).fold(0, |all, each| all | 1 << each)
}

/// Returns the highest number of accounts, 0 if none waits.
fn highest(accounts: u8, database: Positions) -> u8 {
    only(accounts, database).iter().filter_map(|position| position.number()).max().unwrap_or(0)
}
