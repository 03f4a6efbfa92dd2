//! Witnesses of the logs, from the office's side: which witnesses are asked to cosign, and what each
//! cosigned.
//!
//! A **witness** is run by an operator other than the office. It signs a checkpoint only if it
//! continues the one that it signed last, so a cosigned history cannot be replaced unseen. A
//! **witnessed log** is one log with what one witness cosigned of it last. The newest checkpoint is
//! published with or without cosignatures; they are added to it when they arrive, and the newest
//! cosigned checkpoint keeps an address of its own.
//!
//! # Invariants
//!
//! * A cosignature is kept only if it is the witness's, and of a checkpoint of this log.
//! * The cosigned size never decreases. The logs of a rehearsal are never sent to a witness.
//! * No witness holds up the growth of a log, a sale, or another witness for long.
//!
//! # Concurrency
//!
//! Any instance may ask. An instance first records that it asks about a log; the others then skip
//! that log for a pause. Two that ask at once do no harm: a witness decides one request after the
//! other.

mod client;
pub mod model;
pub mod store;

use std::time::Duration;

use chrono::DateTime;
use futures_util::future::try_join_all;
use reqwest::Client;
use tokio::time::Instant;

use self::{
    client::WitnessAnswer,
    model::{WitnessFault, WitnessedLog},
};
use super::store::{LogId, StoredLog, find_log, find_tiles};
use crate::{
    app::App,
    config::{Config, WitnessConfig},
    infra::tlog::{Cosignature, LogVerifier, WitnessRequest, places_of_growth, prove_growth},
};

/// Logs that one witness is asked about in one round.
const LOGS_MAX: i64 = 100;
/// How long one witness may take for them, so that a slow one does not hold the others up.
const ROUND_MAX: Duration = Duration::from_secs(10);
/// Questions for one checkpoint: the second begins at the size that the witness named.
const QUESTIONS_MAX: usize = 2;

/// Client of the configured witnesses.
#[derive(Clone, Debug)]
pub struct Witnesses {
    /// `None`: there is no witness.
    client: Option<Client>,
}

impl Witnesses {
    /// Creates the client, if `config` names a witness.
    pub fn of(config: &Config) -> Result<Self, reqwest::Error> {
        let is_any = !config.witnesses.is_empty();
        Ok(Self { client: is_any.then(client::make).transpose()? })
    }

    /// Whether there is a witness.
    pub fn are_any(&self) -> bool {
        self.client.is_some()
    }

    /// Asks every witness about the logs that have grown since it was asked last. A witness that
    /// fails is reported, and asked again after a pause.
    pub async fn ask(&self, app: &App) -> Result<(), sqlx::Error> {
        let Some(client) = &self.client else { return Ok(()) };
        let rounds: Vec<Round<'_>> =
            app.config.witnesses.iter().map(|witness| Round { app, client, witness }).collect();
        try_join_all(rounds.iter().map(Round::run)).await.map(drop)
    }
}

/// One round of questions to one witness.
struct Round<'a> {
    app: &'a App,
    client: &'a Client,
    witness: &'a WitnessConfig,
}

impl Round<'_> {
    async fn run(&self) -> Result<(), sqlx::Error> {
        let begun = Instant::now();
        let logs = store::list_due(&self.app.db, self.witness.key.text(), LOGS_MAX).await?;
        let mut is_away = false;
        for log in logs {
            if begun.elapsed() > ROUND_MAX {
                break;
            }
            let key = self.witness.key.text();
            let Some(known) = store::claim(&self.app.db, log, key).await? else { continue };
            // A witness that does not answer for one log is not asked about the others of the round.
            let asked = match is_away {
                true => Err(WitnessFault::Away),
                false => self.ask(log, &known).await?,
            };
            is_away |= asked == Err(WitnessFault::Away);
            self.note(log, &known, asked.err()).await?;
        }
        Ok(())
    }

    /// Counts the outcome, and reports and keeps a fault.
    async fn note(
        &self,
        log: LogId,
        known: &WitnessedLog,
        fault: Option<WitnessFault>,
    ) -> Result<(), sqlx::Error> {
        let witness = self.witness.key.name();
        let outcome = fault.map_or("cosigned", WitnessFault::name);
        let labels = [("witness", witness.to_owned()), ("outcome", outcome.to_owned())];
        metrics::counter!("stagedoor_witness_requests_total", &labels).increment(1);
        let Some(fault) = fault else { return Ok(()) };
        if known.fault != Some(fault) {
            let confirmed = known.size;
            if fault.is_alarming() {
                tracing::error!(witness, ?log, confirmed, fault = outcome, "{fault}");
            } else {
                tracing::warn!(witness, ?log, confirmed, fault = outcome, "{fault}");
            }
        }
        store::write_fault(&self.app.db, log, self.witness.key.text(), fault).await
    }

    /// Asks about the newest checkpoint of one log, and keeps the cosignature.
    async fn ask(
        &self,
        id: LogId,
        known: &WitnessedLog,
    ) -> Result<Result<(), WitnessFault>, sqlx::Error> {
        let mut old_size = u64::try_from(known.size).unwrap_or_default();
        for _ in 0..QUESTIONS_MAX {
            // Read anew: another instance may have shown the witness a checkpoint of after this round
            // began, and what was shown is committed.
            let Some(log) = find_log(&self.app.db, id).await? else { return Ok(Ok(())) };
            let size = u64::try_from(log.size).unwrap_or_default();
            if old_size > size {
                return Ok(Err(WitnessFault::Ahead));
            }
            let Some(request) = self.request(id, &log, old_size).await? else {
                return Ok(Err(WitnessFault::Forked));
            };
            match client::ask(self.client, &self.witness.url, &request).await {
                WitnessAnswer::Cosigned(lines) => return self.keep(id, &log, &lines).await,
                WitnessAnswer::OtherSize(size) => old_size = size,
                WitnessAnswer::Fault(fault) => return Ok(Err(fault)),
            }
        }
        Ok(Err(WitnessFault::Unusable))
    }

    /// Makes the request for the checkpoint of `log`; `None` if its tiles are not there.
    async fn request(
        &self,
        id: LogId,
        log: &StoredLog,
        old_size: u64,
    ) -> Result<Option<WitnessRequest>, sqlx::Error> {
        let size = u64::try_from(log.size).unwrap_or_default();
        let places = places_of_growth(old_size, size);
        let tiles = find_tiles(&self.app.db, id, &places).await?;
        let failed =
            |error| tracing::error!(log = ?id, %error, old_size, size, "no proof of growth");
        let proof = prove_growth(old_size, size, &tiles).map_err(failed).ok();
        let made = proof.zip(log.checkpoint.clone());
        Ok(made.map(|(proof, checkpoint)| WitnessRequest { old_size, proof, checkpoint }))
    }

    /// Keeps the witness's cosignature of the checkpoint of `log`.
    async fn keep(
        &self,
        id: LogId,
        log: &StoredLog,
        lines: &str,
    ) -> Result<Result<(), WitnessFault>, sqlx::Error> {
        let note = log.checkpoint.as_deref().unwrap_or_default();
        let signed = LogVerifier::parse(&log.verifier_key).and_then(|key| key.text_of(note));
        let signed =
            signed.ok().and_then(|text| Cosignature::find(&self.witness.key, &text, lines));
        let cosigned = signed.and_then(|cosignature| {
            let seconds = i64::try_from(cosignature.time).ok()?;
            Some((cosignature.line, DateTime::from_timestamp(seconds, 0)?))
        });
        let Some((cosignature, cosigned_at)) = cosigned else {
            return Ok(Err(WitnessFault::Unusable));
        };
        let made = WitnessedLog {
            witness: self.witness.key.text().to_owned(),
            size: log.size,
            checkpoint: Some(note.to_owned()),
            cosignature: Some(cosignature),
            cosigned_at: Some(cosigned_at),
            fault: None,
            failing_since: None,
        };
        store::write_cosignature(&self.app.db, id, &made).await?;
        Ok(Ok(()))
    }
}
