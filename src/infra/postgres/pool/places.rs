//! Places of a pool: a bounded number of connections, some of which changes leave to reads.

use std::{fmt, sync::Arc};

use deadpool::managed::{self, BuildError, Object, PoolError, QueueMode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections that changes leave to reads, but at most a quarter of the pool.
const READS_RESERVED: usize = 4;

/// Connections of one pool, and the permits of changes. Callers are served in order of arrival; one
/// that goes away while it waits leaves its turn to the next.
pub(crate) struct PoolPlaces<M: managed::Manager> {
    connections: managed::Pool<M>,
    changes: Arc<Semaphore>,
}

impl<M: managed::Manager> fmt::Debug for PoolPlaces<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolPlaces")
            .field("status", &self.connections.status())
            .finish_non_exhaustive()
    }
}

impl<M: managed::Manager> PoolPlaces<M> {
    /// Creates at most `connections_max` places, without connecting.
    pub(crate) fn new(manager: M, connections_max: usize) -> Result<Self, BuildError> {
        let connections = managed::Pool::builder(manager)
            .max_size(connections_max)
            // The connection used last has the most prepared statements, and the others may rest.
            .queue_mode(QueueMode::Lifo)
            .build()?;
        let n_reserved = READS_RESERVED.min(connections_max / 4);
        let n_changes = (connections_max - n_reserved).min(Semaphore::MAX_PERMITS);
        Ok(Self { connections, changes: Arc::new(Semaphore::new(n_changes)) })
    }

    /// Takes a connection for a read.
    pub(crate) async fn take(&self) -> Result<Object<M>, PoolError<M::Error>> {
        self.connections.get().await
    }

    /// Takes a connection for a change, with the permit that lasts for as long as the change may.
    pub(crate) async fn take_for_change(
        &self,
    ) -> Result<(Object<M>, OwnedSemaphorePermit), PoolError<M::Error>> {
        let permit = Arc::clone(&self.changes).acquire_owned().await;
        let permit = permit.map_err(|_closed| PoolError::Closed)?;
        Ok((self.take().await?, permit))
    }

    /// Refuses waiting and later callers, and closes connections that are returned.
    pub(crate) fn close(&self) {
        self.connections.close();
        self.changes.close();
    }

    pub(crate) fn manager(&self) -> &M {
        self.connections.manager()
    }

    pub(crate) fn status(&self) -> managed::Status {
        self.connections.status()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    use deadpool::managed::{Metrics, RecycleResult};
    use shuttle::{
        check_random,
        future::{JoinHandle, block_on, spawn, yield_now},
        rand::{Rng, thread_rng},
    };

    use super::{super::slot::PoolSlot, *};
    use crate::infra::postgres::connection::Reusable;

    const CONNECTIONS_MAX: usize = 4;
    const CHANGES_MAX: usize = 3;
    const CALLERS: usize = 7;
    /// Orders in which the callers take turns, chosen at random.
    const SCHEDULES: usize = 200;

    /// Server that counts its connections, and fails now and then. The counters are no turns of the
    /// scheduler: the pool's own locks may be held where they change.
    #[derive(Clone, Debug, Default)]
    struct Server {
        n_open: Arc<AtomicUsize>,
        n_changing: Arc<AtomicUsize>,
    }

    #[derive(Debug)]
    struct ServerAway;

    struct Counted(Arc<AtomicUsize>);

    impl Counted {
        fn new(count: &Arc<AtomicUsize>, max: usize) -> Self {
            let n = count.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(n <= max, "{n} at once");
            Self(Arc::clone(count))
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    async fn is_lucky() -> bool {
        yield_now().await;
        thread_rng().gen_bool(0.8)
    }

    impl managed::Manager for Server {
        type Type = Counted;
        type Error = ServerAway;

        async fn create(&self) -> Result<Counted, ServerAway> {
            let connection = Counted::new(&self.n_open, CONNECTIONS_MAX);
            if is_lucky().await { Ok(connection) } else { Err(ServerAway) }
        }

        async fn recycle(&self, _: &mut Counted, _: &Metrics) -> RecycleResult<ServerAway> {
            if is_lucky().await { Ok(()) } else { Err(ServerAway.into()) }
        }
    }

    impl Reusable for Counted {
        fn rest(&mut self) {}

        async fn reset(&mut self, _is_open: bool) -> bool {
            is_lucky().await
        }
    }

    type Ends = Arc<Mutex<Vec<JoinHandle<()>>>>;

    /// Use of a connection, which recovers in a task of its own unless it was finished.
    struct Use {
        slot: PoolSlot<Server>,
        permit: Option<(Counted, OwnedSemaphorePermit)>,
        ends: Ends,
    }

    impl Drop for Use {
        fn drop(&mut self) {
            let Some(slot) = self.slot.take() else { return };
            let permit = self.permit.take();
            let recovered = async move {
                slot.recover(permit, false, yield_now()).await;
            };
            // Spawning is a turn of the scheduler: the lock is not held meanwhile.
            let end = spawn(recovered);
            self.ends.lock().unwrap().push(end);
        }
    }

    async fn call(places: Arc<PoolPlaces<Server>>, ends: Ends) {
        let (connection, permit) = if thread_rng().r#gen() {
            let Ok((connection, permit)) = places.take_for_change().await else { return };
            let counted = Counted::new(&places.manager().n_changing, CHANGES_MAX);
            (connection, Some((counted, permit)))
        } else {
            let Ok(connection) = places.take().await else { return };
            (connection, None)
        };
        let mut using = Use { slot: PoolSlot::new(connection), permit, ends };
        yield_now().await;
        if thread_rng().r#gen() {
            using.slot.give_back();
        }
    }

    fn crowd() {
        let server = Server::default();
        let places = Arc::new(PoolPlaces::new(server.clone(), CONNECTIONS_MAX).unwrap());
        let ends = Ends::default();
        block_on(async {
            let call = || spawn(call(Arc::clone(&places), Arc::clone(&ends)));
            let calls: Vec<_> = (0..CALLERS).map(|_| call()).collect();
            for call in &calls {
                if thread_rng().gen_bool(0.3) {
                    call.abort();
                }
            }
            // Every call is answered or was aborted: otherwise this waits for ever and the test
            // fails.
            for call in calls {
                drop(call.await);
            }
            loop {
                let end = ends.lock().unwrap().pop();
                let Some(end) = end else { break };
                end.await.unwrap();
            }
            assert_eq!(places.changes.available_permits(), CHANGES_MAX);
            assert_eq!(server.n_changing.load(Ordering::SeqCst), 0);
            let mut all = Vec::new();
            while all.len() < CONNECTIONS_MAX {
                all.extend(places.take().await);
            }
            assert_eq!(server.n_open.load(Ordering::SeqCst), CONNECTIONS_MAX, "no place is lost");
            let waiting = {
                let places = Arc::clone(&places);
                spawn(async move { matches!(places.take().await, Err(PoolError::Closed)) })
            };
            yield_now().await;
            places.close();
            assert!(waiting.await.unwrap(), "whoever waits is told that the pool is closed");
        });
    }

    #[test]
    fn in_any_order_of_turns_no_place_and_no_permit_is_lost_or_given_twice() {
        check_random(crowd, SCHEDULES);
    }
}
