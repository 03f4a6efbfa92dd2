//! Entry passes of the people inside: a browser has had its own since it was let in, so they are
//! fetched before a run.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::task::JoinSet;

use crate::{Bench, Failure, http::Connection, person::session, stage::Stage};

/// Connections that ask at once.
const ASKING: usize = 16;

impl Bench {
    /// A stage that is served, with the passes of the `people` who are inside.
    pub(crate) async fn stage_with_passes(&mut self, people: u64) -> Result<Stage, Failure> {
        let mut stage = self.stage(true, people)?;
        stage.passes = fetch(self.server.address, &stage, people).await?;
        Ok(stage)
    }
}

/// The passes of people 1 to `people`, who are inside at `stage`, from the server at `address`.
pub(crate) async fn fetch(
    address: SocketAddr,
    stage: &Stage,
    people: u64,
) -> Result<Arc<[String]>, Failure> {
    let next = Arc::new(AtomicU64::new(1));
    let mut asking = JoinSet::new();
    for _ in 0..ASKING {
        let (next, path) = (next.clone(), stage.queue_path());
        asking.spawn(async move {
            let mut server = Connection::open(address).await?;
            let mut passes = Vec::new();
            loop {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                if nth > people {
                    return io::Result::Ok(passes);
                }
                let answer = server.get(&path, &session(nth)).await?;
                let pass = answer.pass.ok_or_else(|| io::Error::other(answer.body))?;
                passes.push((nth, pass));
            }
        });
    }
    let mut passes = Vec::new();
    while let Some(some) = asking.join_next().await {
        passes.extend(some??);
    }
    passes.sort_by_key(|(nth, _)| *nth);
    Ok(passes.into_iter().map(|(_, pass)| pass).collect())
}
