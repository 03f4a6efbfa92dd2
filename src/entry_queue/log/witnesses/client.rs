//! Conversation with a witness: one `POST /add-checkpoint`.

use std::time::Duration;

use reqwest::{Client, Response, StatusCode, redirect::Policy};
use url::Url;

use super::model::WitnessFault;
use crate::infra::{https, tlog::WitnessRequest};

/// Upper bound of one conversation, with its connection and the body of the answer.
const ASK_MAX: Duration = Duration::from_secs(4);
/// Upper bound of an answer, in bytes: a cosignature has some two hundred.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
/// Idle connections kept to one witness.
const IDLE_CONNECTIONS_MAX: usize = 2;

/// Answer of a witness.
#[derive(Debug)]
pub(super) enum WitnessAnswer {
    /// It cosigned: signature lines, not checked yet.
    Cosigned(String),
    /// It cosigned another size last than the request begins with.
    OtherSize(u64),
    /// It did not cosign.
    Fault(WitnessFault),
}

/// Creates a client of witnesses.
pub(super) fn make() -> Result<Client, reqwest::Error> {
    https::client()
        .timeout(ASK_MAX)
        .redirect(Policy::none())
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .build()
}

/// Asks the witness at `url` to cosign.
pub(super) async fn ask(client: &Client, url: &Url, request: &WitnessRequest) -> WitnessAnswer {
    let href = format!("{}/add-checkpoint", url.as_str().trim_end_matches('/'));
    let answered = client.post(href).body(request.to_string()).send().await;
    let read = match answered {
        Ok(answer) => Ok((answer.status(), read(answer).await)),
        Err(error) => Err(error),
    };
    match read {
        Ok((status, Ok(body))) => answer_of(status, body),
        Ok((_, Err(error))) | Err(error) => {
            tracing::debug!(error = %error.without_url(), "a witness gave no answer");
            WitnessAnswer::Fault(WitnessFault::Away)
        }
    }
}

/// Returns the meaning of an answer; `body` is `None` if it is too long or no text.
fn answer_of(status: StatusCode, body: Option<String>) -> WitnessAnswer {
    let fault = match (status, body) {
        (StatusCode::OK, Some(lines)) => return WitnessAnswer::Cosigned(lines),
        (StatusCode::CONFLICT, Some(size)) => match size.trim_end().parse() {
            Ok(size) => return WitnessAnswer::OtherSize(size),
            Err(_) => WitnessFault::Unusable,
        },
        (StatusCode::NOT_FOUND | StatusCode::FORBIDDEN, _) => WitnessFault::Stranger,
        (StatusCode::UNPROCESSABLE_ENTITY, _) => WitnessFault::Forked,
        (StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT, _) => WitnessFault::Away,
        (status, _) if status.is_server_error() => WitnessFault::Away,
        _ => WitnessFault::Unusable,
    };
    WitnessAnswer::Fault(fault)
}

/// Reads the body, up to [`ANSWER_BYTES_MAX`].
async fn read(mut answer: Response) -> Result<Option<String>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > ANSWER_BYTES_MAX {
            return Ok(None);
        }
    }
    Ok(String::from_utf8(body).ok())
}
