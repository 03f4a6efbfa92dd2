//! Relays of the beacon's chain, asked over HTTP. Their answers are believed only if they are
//! signed.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use governor::Quota;
use reqwest::{Client, redirect::Policy};
use serde::Deserialize;

use super::beacon::{Beacon, BeaconRound};
use crate::{
    config::DrandConfig,
    infra::{https, limits::Limit},
};

/// Upper bound of one question.
const ASK_MAX: Duration = Duration::from_secs(3);
/// Longest answer that is read, in bytes; a round takes some 300.
const ANSWER_BYTES_MAX: usize = 4_096;
/// Warnings about one round: room for several relays.
const WARNINGS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(4).unwrap();

/// Answer of a relay, as far as it is used.
#[derive(Deserialize)]
struct RelayedRound {
    signature: String,
}

/// Reason why a relay brought no beacon; the text is for logs.
#[derive(Debug, thiserror::Error)]
enum RelayFault {
    #[error("no answer: {0}")]
    Away(#[from] reqwest::Error),
    #[error("the answer is no round")]
    Malformed,
    #[error("the answer is not signed by the chain for this round")]
    NotSigned,
}

/// Client of the relays.
#[derive(Clone, Debug)]
pub(crate) struct Relays {
    client: Client,
    config: DrandConfig,
    /// Of each round, so that a long absence does not flood the log.
    warnings: Arc<Limit<i64>>,
}

impl Relays {
    /// Creates the client of the configured relays.
    pub(crate) fn of(config: &DrandConfig) -> Result<Self, reqwest::Error> {
        let client = https::client().timeout(ASK_MAX).redirect(Policy::none()).build()?;
        let warnings = Arc::new(Limit::new(Quota::per_minute(WARNINGS_PER_MINUTE)));
        Ok(Self { client, config: config.clone(), warnings })
    }

    /// Asks the relays one after the other for a round, and returns the first right answer.
    pub(crate) async fn find_beacon(&self, round: &BeaconRound) -> Option<Beacon> {
        for url in &self.config.urls {
            match self.ask(url.as_str(), round).await {
                Ok(beacon) => return Some(beacon),
                // The worker asks again each second.
                Err(error) if self.warnings.count(&round.round).is_ok() => {
                    tracing::warn!(%url, round = round.round, %error, "a relay brought no beacon");
                }
                Err(_) => {}
            }
        }
        None
    }

    async fn ask(&self, url: &str, round: &BeaconRound) -> Result<Beacon, RelayFault> {
        let (chain, number) = (hex::encode(round.chain_hash), round.round);
        let url = format!("{}/{chain}/public/{number}", url.trim_end_matches('/'));
        let mut answer = self.client.get(url).send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await? {
            body.extend_from_slice(&part);
            if body.len() > ANSWER_BYTES_MAX {
                return Err(RelayFault::Malformed);
            }
        }
        let told: Option<RelayedRound> = serde_json::from_slice(&body).ok();
        let signature = told.and_then(|told| hex::decode(told.signature).ok());
        let signature = signature.ok_or(RelayFault::Malformed)?;
        round.verify(&signature).ok_or(RelayFault::NotSigned)
    }
}
