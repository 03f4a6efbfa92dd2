//! Cosigning of one checkpoint: compare it with the head, write it down, answer.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    task::spawn_blocking,
    time::timeout,
};

use super::{
    folder::Folder,
    model::{KnownLogs, WitnessRefusal, judge},
};
use crate::infra::tlog::{Cosigner, WitnessRequest};

/// How long a request waits for earlier requests.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// A witness, while it runs; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    keys: Arc<(KnownLogs, Cosigner)>,
    folder: Arc<Mutex<Folder>>,
}

impl Witness {
    /// Creates a witness that cosigns `logs`.
    pub(super) fn new(logs: KnownLogs, folder: Folder, cosigner: Cosigner) -> Self {
        Self { keys: Arc::new((logs, cosigner)), folder: Arc::new(Mutex::new(folder)) }
    }

    /// Cosigns the checkpoint of `request`, and returns the line of the cosignature. Once begun, it
    /// ends whether or not the caller still waits.
    pub(super) async fn add_checkpoint(&self, request: String) -> Result<String, WitnessRefusal> {
        let keys = Arc::clone(&self.keys);
        self.with_folder(move |folder| {
            let (logs, cosigner) = &*keys;
            cosign(folder, logs, cosigner, &request)
        })
        .await
    }

    /// Returns the last checkpoint that was cosigned of the log whose name has this SHA-256, as a
    /// note with the signatures of the log and of this witness.
    pub(super) async fn find_checkpoint(
        &self,
        origin_hash: String,
    ) -> Result<Option<String>, WitnessRefusal> {
        let keys = Arc::clone(&self.keys);
        self.with_folder(move |folder| Ok(folder.find_note(&origin_hash, keys.1.key())?)).await
    }

    /// Runs `work` on the folder, apart from the threads that serve.
    async fn with_folder<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Folder) -> Result<T, WitnessRefusal> + Send + 'static,
    ) -> Result<T, WitnessRefusal> {
        let folder = timeout(WAIT_MAX, Arc::clone(&self.folder).lock_owned()).await;
        let mut folder: OwnedMutexGuard<Folder> = folder.ok().ok_or(WitnessRefusal::Busy)?;
        let done = spawn_blocking(move || work(&mut folder)).await;
        done.map_err(std::io::Error::other)?
    }
}

fn cosign(
    folder: &mut Folder,
    logs: &KnownLogs,
    cosigner: &Cosigner,
    request: &str,
) -> Result<String, WitnessRefusal> {
    let request = WitnessRequest::parse(request).ok_or(WitnessRefusal::Malformed)?;
    let signed = logs.verify(&request.checkpoint)?;
    let origin = signed.checkpoint.origin();
    let head = folder.head_of(origin, cosigner.key())?;
    if let Err(refusal) = judge(head, &request, &signed.checkpoint) {
        if matches!(refusal, WitnessRefusal::Inconsistent) {
            // Signed by the log: it may prove that the log shows two histories.
            let (head, checkpoint) = (head.size, &request.checkpoint);
            tracing::warn!(origin, head, checkpoint, proof = ?request.proof, "REFUSED");
        }
        return Err(refusal);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(std::io::Error::other)?;
    let line = cosigner.cosign(&signed.text, now.as_secs()).ok_or(WitnessRefusal::Malformed)?;
    folder.keep(origin, &format!("{}\n{}{line}", signed.text, signed.signature))?;
    tracing::info!(origin, from = head.size, to = signed.checkpoint.size(), "cosigned");
    Ok(line)
}
