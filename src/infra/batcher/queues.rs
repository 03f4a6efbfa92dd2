//! Requests that wait for their batch, by key: the state that a batcher guards with its lock.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    hash::Hash,
};

/// Queues of waiting requests. A key is present from its first request until a batch finds no
/// other; meanwhile exactly one task takes its batches.
#[derive(Debug)]
pub(super) struct Queues<K, T>(HashMap<K, VecDeque<T>>);

/// Task of a key's batches: running, or to be begun by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A task takes them already.
    Runs,
    /// The key was idle: the caller begins one.
    Begins,
}

/// As many requests of the key wait as may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

impl<K, T> Default for Queues<K, T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash, T> Queues<K, T> {
    /// Adds a request behind the others of its key, where fewer than `waiting_max` wait; otherwise
    /// `request` is not called.
    pub(super) fn add(
        &mut self,
        key: K,
        waiting_max: usize,
        request: impl FnOnce() -> T,
    ) -> Result<Task, Full> {
        match self.0.entry(key) {
            Entry::Occupied(queue) if queue.get().len() >= waiting_max => Err(Full),
            Entry::Occupied(mut queue) => {
                queue.get_mut().push_back(request());
                Ok(Task::Runs)
            }
            Entry::Vacant(idle) => {
                idle.insert(VecDeque::from([request()]));
                Ok(Task::Begins)
            }
        }
    }

    /// Takes the first requests of `key`, at most `members_max`; `None` when none waits, after which
    /// the key is idle and its task ends.
    pub(super) fn take(&mut self, key: &K, members_max: usize) -> Option<Vec<T>> {
        let queue = self.0.get_mut(key)?;
        let n = queue.len().min(members_max);
        if n == 0 {
            self.0.remove(key);
            return None;
        }
        Some(queue.drain(..n).collect())
    }

    /// Whether a request of `key` waits for its batch.
    pub(super) fn is_waiting(&self, key: &K) -> bool {
        self.0.get(key).is_some_and(|queue| !queue.is_empty())
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a task takes the batches of `key`.
    #[cfg(test)]
    pub(super) fn is_busy(&self, key: &K) -> bool {
        self.0.contains_key(key)
    }
}

#[cfg(test)]
mod tests {
    use shuttle::{
        check_pct, check_random,
        sync::{
            Arc, Mutex,
            atomic::{AtomicBool, Ordering},
        },
        thread,
    };

    use super::*;

    /// Threads that submit requests, and requests of each.
    const CALLERS: u32 = 3;
    const REQUESTS: u32 = 3;
    const KEYS: usize = 2;
    const MEMBERS_MAX: usize = 2;
    const WAITING_MAX: usize = 3;
    /// Orders in which the threads take turns, chosen at random.
    const SCHEDULES: usize = 2_000;
    /// Changes of the running thread that a schedule places deliberately.
    const DEPTH: usize = 3;

    /// Batcher whose batches write down what they carried out.
    #[derive(Default)]
    struct Model {
        queues: Mutex<Queues<usize, u32>>,
        keys: [OneKey; KEYS],
        tasks: Mutex<Vec<thread::JoinHandle<()>>>,
    }

    #[derive(Default)]
    struct OneKey {
        /// Accepted requests in order of arrival.
        arrived: Mutex<Vec<u32>>,
        carried_out: Mutex<Vec<u32>>,
        is_running: AtomicBool,
    }

    fn submit(model: &Arc<Model>, key: usize, request: u32) {
        let added = model.queues.lock().unwrap().add(key, WAITING_MAX, || {
            model.keys[key].arrived.lock().unwrap().push(request);
            request
        });
        if added == Ok(Task::Begins) {
            let theirs = Arc::clone(model);
            let task = thread::spawn(move || run_batches(&theirs, key));
            model.tasks.lock().unwrap().push(task);
        }
    }

    fn run_batches(model: &Model, key: usize) {
        let one = &model.keys[key];
        assert!(!one.is_running.swap(true, Ordering::SeqCst), "two tasks of one key");
        loop {
            let mut queues = model.queues.lock().unwrap();
            let Some(members) = queues.take(&key, MEMBERS_MAX) else {
                one.is_running.store(false, Ordering::SeqCst);
                return;
            };
            drop(queues);
            assert!((1..=MEMBERS_MAX).contains(&members.len()), "{members:?}");
            for member in members {
                one.carried_out.lock().unwrap().push(member);
                thread::yield_now();
            }
        }
    }

    fn crowd() {
        let model = Arc::new(Model::default());
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let model = Arc::clone(&model);
                thread::spawn(move || {
                    for nth in 0..REQUESTS {
                        submit(&model, usize::from(nth == 0), caller * REQUESTS + nth);
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.join().unwrap();
        }
        // No request comes any more, so no further task begins.
        for task in std::mem::take(&mut *model.tasks.lock().unwrap()) {
            task.join().unwrap();
        }
        for (key, one) in model.keys.iter().enumerate() {
            let arrived = one.arrived.lock().unwrap();
            assert_eq!(*arrived, *one.carried_out.lock().unwrap(), "in order, each once");
            assert!(!model.queues.lock().unwrap().is_busy(&key));
        }
    }

    #[test]
    fn in_any_order_of_turns_each_request_is_carried_out_once_and_by_one_task_at_a_time() {
        check_random(crowd, SCHEDULES);
        check_pct(crowd, SCHEDULES, DEPTH);
    }
}
