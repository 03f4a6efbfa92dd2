//! Listening to one channel.

use std::time::Duration;

use futures_util::StreamExt;
use redis::{
    Client, RedisError, Value,
    aio::{PubSubSink, PubSubStream},
};
use tokio::time::timeout;

use super::server::{CONNECT_TIMEOUT, RESPONSE_TIMEOUT};

/// Silence after which the server is pinged.
const SILENCE_MAX: Duration = Duration::from_secs(3);

/// Messages of one channel. A silent server may have no messages or be gone, so it is pinged after
/// [`SILENCE_MAX`].
pub struct Listening {
    sink: PubSubSink,
    messages: PubSubStream,
}

impl std::fmt::Debug for Listening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

impl Listening {
    /// Subscribes to `channel` of `server`.
    pub async fn open(server: &Client, channel: &str) -> Result<Self, RedisError> {
        let opening = async {
            let mut connection = server.get_async_pubsub().await?;
            connection.subscribe(channel).await?;
            let (sink, messages) = connection.split();
            Ok(Self { sink, messages })
        };
        let opened = timeout(CONNECT_TIMEOUT, opening).await;
        opened.unwrap_or_else(|elapsed| Err(std::io::Error::from(elapsed).into()))
    }

    /// Returns the next message; `None` when the connection broke or the server does not answer.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            if let Ok(message) = timeout(SILENCE_MAX, self.messages.next()).await {
                if let Ok(text) = message?.get_payload() {
                    return Some(text);
                }
            } else {
                let pong = timeout(RESPONSE_TIMEOUT, self.sink.ping::<Value>()).await;
                pong.ok()?.ok()?;
            }
        }
    }
}
