//! Messages between instances: hints that something changed, never the change itself.

use std::{sync::Arc, time::Duration};

use tokio::task::AbortHandle;

use super::redis::Redis;

/// Pause before subscribing again after Redis went away.
const PAUSE: Duration = Duration::from_millis(500);

/// Running subscription; dropping it ends the listening.
#[derive(Debug)]
pub struct Listener(AbortHandle);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Publishes `message` to every listener of `channel`; false when Redis did not take it. The number
/// of listeners does not matter.
pub async fn publish(redis: &Redis, channel: &str, message: impl ToString) -> bool {
    let mut publish = redis::cmd("PUBLISH");
    publish.arg(redis.key(channel)).arg(message.to_string());
    redis.query::<i64>(&publish).await.is_ok()
}

/// Calls `heard` with every message of `channel`. Messages are lost while Redis is away, so
/// listeners must also check periodically.
pub fn listen(
    redis: &Redis,
    channel: &str,
    heard: impl Fn(&str) + Send + Sync + 'static,
) -> Listener {
    let (redis, channel, heard) = (redis.clone(), redis.key(channel), Arc::new(heard));
    let listening = async move {
        loop {
            if let Ok(mut messages) = redis.subscribe(&channel).await {
                while let Some(message) = messages.next().await {
                    heard(&message);
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    Listener(tokio::spawn(listening).abort_handle())
}
