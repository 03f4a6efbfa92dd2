//! Generations of the connections of one pool: a lost connection casts doubt on all that were
//! opened before.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sqlx::error::DatabaseError;

use crate::infra::postgres::error::is_read_only;

/// Counters of one pool. A new connection belongs to the newest generation; a loss in the newest
/// begins another one, so that many losses of one failure begin only one.
#[derive(Debug, Default)]
pub(crate) struct Generations {
    newest: AtomicU64,
    condemned_below: AtomicU64,
}

/// Trust in an idle connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// No connection was lost since this one last answered.
    Trusted,
    /// Another connection was lost: this one must answer before it is used again.
    Suspected,
    /// An idle connection was found dead: this one is closed without being asked.
    Condemned,
}

impl Generations {
    pub(crate) fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }

    fn suspect(&self, generation: u64) {
        self.newest.fetch_max(generation + 1, Ordering::AcqRel);
    }

    fn condemn(&self, generation: u64) {
        self.condemned_below.fetch_max(generation + 1, Ordering::AcqRel);
        self.suspect(generation);
    }

    fn trust(&self, generation: u64) -> Trust {
        if generation < self.condemned_below.load(Ordering::Acquire) {
            Trust::Condemned
        } else if generation < self.newest() {
            Trust::Suspected
        } else {
            Trust::Trusted
        }
    }
}

/// Life of one connection: whether it can still be used, and its generation.
#[derive(Debug, Default)]
pub(crate) struct Life {
    is_lost: bool,
    generation: u64,
    generations: Arc<Generations>,
}

impl Life {
    /// Creates a life in `generation`, which was the newest when connecting began.
    pub(crate) fn new(generations: &Arc<Generations>, generation: u64) -> Self {
        Self { is_lost: false, generation, generations: Arc::clone(generations) }
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    pub(crate) fn trust(&self) -> Trust {
        self.generations.trust(self.generation)
    }

    /// Ends the life, and casts doubt on its generation.
    pub(crate) fn lose(&mut self) {
        if !self.is_lost {
            self.is_lost = true;
            self.generations.suspect(self.generation);
            metrics::counter!("stagedoor_db_connections_lost_total").increment(1);
        }
    }

    /// Ends the life if `error` means that the connection is of no more use. If it leads to a standby,
    /// connections that are no younger end as well: they may lead there, too, where they would answer.
    pub(crate) fn note(&mut self, error: &sqlx::Error) {
        if is_read_only(error) {
            self.lose();
            self.generations.condemn(self.generation);
        } else if ends_connection(error) {
            self.lose();
        }
    }

    /// Moves the connection to generation `newest`, because the server answered on it. `newest`
    /// must be read before the server is asked.
    pub(crate) fn prove(&mut self, newest: u64) {
        self.generation = self.generation.max(newest);
    }

    /// Condemns the connections that are no younger than this one, which did not answer while idle.
    /// `newest` must be read before the server is asked.
    pub(crate) fn condemn_elders(&self, newest: u64) {
        self.generations.condemn(self.generation.max(newest.saturating_sub(1)));
    }

    pub(crate) fn newest(&self) -> u64 {
        self.generations.newest()
    }
}

/// Whether no statement can follow this error: the wire is cut or garbled, or the server ended the
/// session.
fn ends_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::WorkerCrashed => true,
        // 57P01 to 57P05: the server stops, crashed, or ends idle sessions; 25P03: idle in a
        // transaction for too long.
        sqlx::Error::Database(cause) => DatabaseError::code(&**cause).is_some_and(|code| {
            code.starts_with("57P") || code.starts_with("08") || code == "25P03"
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_losses_of_one_failure_begin_one_generation() {
        let generations = Arc::new(Generations::default());
        let mut lives = [(); 3].map(|()| Life::new(&generations, 0));
        for life in &mut lives {
            life.lose();
        }
        assert_eq!(generations.newest(), 1);
        assert_eq!(Life::new(&generations, 0).trust(), Trust::Suspected);
        assert_eq!(Life::new(&generations, 1).trust(), Trust::Trusted);
    }

    #[test]
    fn who_is_found_dead_condemns_those_that_are_no_younger() {
        let generations = Arc::new(Generations::default());
        let (mut lost, mut proved) = (Life::new(&generations, 0), Life::new(&generations, 0));
        lost.lose();
        proved.prove(generations.newest());
        assert_eq!(proved.trust(), Trust::Trusted);
        lost.condemn_elders(generations.newest());
        assert_eq!(Life::new(&generations, 0).trust(), Trust::Condemned);
        assert_eq!(proved.trust(), Trust::Trusted);
    }
}
