//! Requests that are sent at one moment, each on a connection of its own.

use std::{
    collections::BTreeMap,
    fmt::Write,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{sync::Barrier, task::JoinSet};

use crate::{Failure, http::Connection, load::Errand};

/// What became of requests that were sent at one moment.
#[derive(Debug, Default)]
pub(crate) struct Together {
    /// How often each status was answered.
    statuses: BTreeMap<u16, u64>,
    /// Bodies of what was carried out.
    pub(crate) bodies: Vec<String>,
    slowest: Duration,
}

impl Together {
    /// Sends `errand` `n` times; person k does it on connection k, counted from 1.
    pub(crate) async fn send(
        address: SocketAddr,
        errand: &Errand,
        n: usize,
    ) -> Result<Self, Failure> {
        let mut connections = Vec::new();
        for _ in 0..n {
            connections.push(Connection::open(address).await?);
        }
        let start = Arc::new(Barrier::new(n));
        let mut tasks = JoinSet::new();
        for (nth, mut connection) in (1..).zip(connections) {
            let (errand, start) = (errand.clone(), start.clone());
            tasks.spawn(async move {
                start.wait().await;
                let began = Instant::now();
                let answer = errand.run(&mut connection, nth, nth).await?;
                std::io::Result::Ok((answer, began.elapsed()))
            });
        }
        let mut all = Self::default();
        while let Some(answered) = tasks.join_next().await {
            let (answer, took) = answered??;
            *all.statuses.entry(answer.status).or_default() += 1;
            all.slowest = all.slowest.max(took);
            if (200..300).contains(&answer.status) {
                all.bodies.push(answer.body);
            }
        }
        Ok(all)
    }

    /// Returns how often `status` was answered.
    pub(crate) fn count(&self, status: u16) -> u64 {
        self.statuses.get(&status).copied().unwrap_or_default()
    }

    /// Says which statuses were answered how often, and when the last answer was there.
    pub(crate) fn told(&self) -> Result<String, Failure> {
        let mut said = String::new();
        for (status, n) in &self.statuses {
            write!(said, "{n} x {status}, ")?;
        }
        write!(said, "the last after {:.0} ms", self.slowest.as_secs_f64() * 1e3)?;
        Ok(said)
    }
}
