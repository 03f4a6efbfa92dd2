//! Queue in front of the hashes, round-robin by network.
//!
//! A request waits only behind requests of its own network and one round of the others. A network
//! may fill [`ALONE_MAX`] places while no other one waits, and its share of them while others do. A
//! request that finds the share full is refused at once.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::future::{Either, ready};
use tokio::sync::oneshot::{self, error::RecvError};

use crate::infra::network::Network;

/// Waiting requests of one network while no other one waits: as many as two cores hash in less
/// than three seconds, and enough for a class of a hundred.
const ALONE_MAX: usize = 112;
/// Waiting requests a network may always have, however many others wait.
const SHARE_MIN: usize = 4;
/// Waiting requests over all networks.
const WAITING_MAX: usize = 224;

/// Queue of one instance; clones share it.
#[derive(Clone)]
pub(crate) struct HashQueue(Arc<Mutex<Waiting>>);

struct Waiting {
    n_free: usize,
    /// Waiting requests by network; no entry is empty.
    queues: HashMap<Network, VecDeque<oneshot::Sender<HashPermit>>>,
    /// Networks in `queues`, each once, the next one to serve first.
    order: VecDeque<Network>,
}

impl fmt::Debug for HashQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HashQueue({} networks wait)", self.waiting().order.len())
    }
}

/// Permit to compute one hash, until dropped.
pub(crate) struct HashPermit(Option<HashQueue>);

impl Drop for HashPermit {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            queue.pass_on();
        }
    }
}

impl HashQueue {
    /// Creates a queue in front of `width` concurrent hashes.
    pub(crate) fn new(width: usize) -> Self {
        let (queues, order) = (HashMap::new(), VecDeque::new());
        Self(Arc::new(Mutex::new(Waiting { n_free: width, queues, order })))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a request of `network`; `None` if its share is full. Dropping the future gives
    /// the place up.
    pub(crate) fn enter(
        &self,
        network: Network,
    ) -> Option<impl Future<Output = Result<HashPermit, RecvError>> + Send + use<>> {
        let mut waiting = self.waiting();
        if waiting.n_free > 0 {
            waiting.n_free -= 1;
            return Some(Either::Left(ready(Ok(HashPermit(Some(self.clone()))))));
        }
        waiting.leave_out_the_gone();
        if !waiting.has_room_for(network) {
            return None;
        }
        let (sender, permit) = oneshot::channel();
        if !waiting.queues.contains_key(&network) {
            waiting.order.push_back(network);
        }
        waiting.queues.entry(network).or_default().push_back(sender);
        Some(Either::Right(permit))
    }

    /// Hands the permit to the next network's first request, or frees it if none waits.
    fn pass_on(&self) {
        let mut waiting = self.waiting();
        while let Some(sender) = waiting.next() {
            match sender.send(HashPermit(Some(self.clone()))) {
                Ok(()) => return,
                // The receiver is gone; clearing the permit keeps its drop from passing it on
                // again.
                Err(mut permit) => permit.0 = None,
            }
        }
        waiting.n_free += 1;
    }
}

impl Waiting {
    fn next(&mut self) -> Option<oneshot::Sender<HashPermit>> {
        let network = self.order.pop_front()?;
        let queue = self.queues.get_mut(&network)?;
        let first = queue.pop_front();
        match queue.is_empty() {
            true => drop(self.queues.remove(&network)),
            false => self.order.push_back(network),
        }
        first
    }

    /// Drops requests that timed out, so that they take no room from others.
    fn leave_out_the_gone(&mut self) {
        self.queues.retain(|_, queue| {
            queue.retain(|sender| !sender.is_closed());
            !queue.is_empty()
        });
        let queues = &self.queues;
        self.order.retain(|network| queues.contains_key(network));
    }

    fn has_room_for(&self, network: Network) -> bool {
        let own = self.queues.get(&network).map_or(0, VecDeque::len);
        let n_networks = self.queues.len() + usize::from(own == 0);
        let share = (ALONE_MAX / n_networks).max(SHARE_MIN);
        let n_waiting: usize = self.queues.values().map(VecDeque::len).sum();
        own < share && n_waiting < WAITING_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(nth: u8) -> Network {
        Network::of([203, 0, 113, nth].into())
    }

    #[tokio::test]
    async fn a_crowd_of_one_network_is_let_in_and_the_rest_refused_at_once() {
        let queue = HashQueue::new(1);
        let permit = queue.enter(network(1)).unwrap().await.unwrap();
        let crowd: Vec<_> = (0..600).filter_map(|_| queue.enter(network(1))).collect();
        assert_eq!(crowd.len(), ALONE_MAX);
        drop(permit);
        for place in crowd {
            drop(place.await.unwrap());
        }
        assert_eq!(queue.waiting().n_free, 1);
    }

    #[tokio::test]
    async fn whoever_comes_from_elsewhere_is_next() {
        let queue = HashQueue::new(1);
        let permit = queue.enter(network(1)).unwrap().await.unwrap();
        let mut crowd: Vec<_> = (0..600).filter_map(|_| queue.enter(network(1))).collect();
        let elsewhere = queue.enter(network(2)).unwrap();
        assert!(queue.enter(network(1)).is_none(), "the share of two is smaller");
        let last = crowd.split_off(1);
        drop(permit);
        drop(crowd.remove(0).await.unwrap());
        drop(elsewhere.await.unwrap());
        drop(last);
        assert!(queue.enter(network(1)).is_some());
    }

    #[tokio::test]
    async fn many_networks_have_little_each_and_the_queue_an_end() {
        let queue = HashQueue::new(0);
        let places: Vec<_> = (0..=255)
            .flat_map(|nth| std::iter::repeat_n(nth, ALONE_MAX))
            .filter_map(|nth| queue.enter(network(nth)))
            .collect();
        assert_eq!(places.len(), WAITING_MAX);
    }

    #[tokio::test]
    async fn a_permit_that_nobody_takes_is_passed_on() {
        let queue = HashQueue::new(1);
        let permit = queue.enter(network(1)).unwrap().await.unwrap();
        let (gone, too_late) = (queue.enter(network(1)).unwrap(), queue.enter(network(2)).unwrap());
        let waits = queue.enter(network(3)).unwrap();
        drop(gone);
        drop(permit);
        // The permit was sent to the second request, which is dropped without receiving it.
        drop(too_late);
        drop(waits.await.unwrap());
        assert_eq!(queue.waiting().n_free, 1);
    }
}
