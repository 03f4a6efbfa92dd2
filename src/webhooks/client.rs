//! Client of endpoints: one attempt is one request.

use std::{
    error::Error as StdError,
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::{Client, Response, header, redirect::Policy};

use super::{
    model::ClaimedEvent,
    secret::HookSecret,
    signature::sign,
    target::{self, TargetResolver},
};
use crate::{config::Config, infra::https};

/// Upper bound of one attempt, with the look for the target, its connection and the answer.
pub(crate) const ATTEMPT_MAX: Duration = Duration::from_secs(10);
/// Upper bound of the wait for a connection.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Bytes of an answer that are read, only so that its connection can be used again.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
/// Idle connections kept to one endpoint.
const IDLE_CONNECTIONS_MAX: usize = 4;
/// Length of an error that is kept, in characters.
const ERROR_CHARS_MAX: usize = 300;

/// Client of endpoints; clones share its connections.
#[derive(Clone, Debug)]
pub struct HookClient {
    client: Client,
    allows_private: bool,
}

/// Outcome of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Status of the answer, if there was one.
    pub status: Option<i32>,
    /// Why it failed; `None`: the event is delivered.
    pub error: Option<String>,
    pub latency_ms: i32,
}

impl Attempt {
    /// Returns an attempt that was not made, because of `why`.
    pub(crate) fn impossible(why: &str) -> Self {
        Self { status: None, error: Some(why.to_owned()), latency_ms: 0 }
    }
}

impl HookClient {
    /// Creates the client.
    pub fn new(config: &Config) -> Result<Self, reqwest::Error> {
        let allows_private = config.webhook_private_targets;
        let client = https::client()
            .timeout(ATTEMPT_MAX)
            .connect_timeout(CONNECT_MAX)
            .redirect(Policy::none())
            // A proxy would look for the target itself.
            .no_proxy()
            .dns_resolver(Arc::new(TargetResolver { allows_private }))
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .user_agent("Stagedoor")
            .build()?;
        Ok(Self { client, allows_private })
    }

    /// Sends an event to `url`, signed with `secrets` at `timestamp`, in seconds since the epoch.
    pub async fn send(
        &self,
        url: &str,
        event: &ClaimedEvent,
        secrets: &[HookSecret],
        timestamp: i64,
    ) -> Attempt {
        // The setting may have changed since the endpoint was registered.
        let url = match target::parse(url, self.allows_private) {
            Ok(url) => url,
            Err(fault) => return Attempt::impossible(&fault.to_string()),
        };
        let (id, body) = (event.id.to_string(), event.body());
        let request = self
            .client
            .post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header("webhook-id", &id)
            .header("webhook-timestamp", timestamp.to_string())
            .header("webhook-signature", sign(secrets, &id, timestamp, &body));
        let begun = Instant::now();
        let answered = request.body(body).send().await;
        let latency_ms = i32::try_from(begun.elapsed().as_millis()).unwrap_or(i32::MAX);
        match answered {
            Ok(answer) => {
                let status = answer.status();
                let error = match status.as_u16() {
                    200..=299 => None,
                    300..=399 => Some(format!("answered {status}: redirects are not followed")),
                    _ => Some(format!("answered {status}")),
                };
                drain(answer).await;
                Attempt { status: Some(status.as_u16().into()), error, latency_ms }
            }
            Err(error) => Attempt { status: None, error: Some(text_of(&error)), latency_ms },
        }
    }
}

/// Reads the answer, up to [`ANSWER_BYTES_MAX`]; whether it ends well changes nothing.
async fn drain(mut answer: Response) {
    let mut n_bytes = 0;
    while let Ok(Some(chunk)) = answer.chunk().await {
        n_bytes += chunk.len();
        if n_bytes > ANSWER_BYTES_MAX {
            break;
        }
    }
}

/// Returns an error with its causes, as it is kept: the last one says most.
fn text_of(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} seconds", ATTEMPT_MAX.as_secs());
    }
    let mut cause: &dyn StdError = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let what = if error.is_connect() { "not connected: " } else { "no answer: " };
    let text = cause.to_string();
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    what.chars().chain(plain).take(ERROR_CHARS_MAX).collect()
}
