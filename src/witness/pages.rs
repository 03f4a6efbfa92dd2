//! HTTP of a witness: `POST /add-checkpoint`, and the last checkpoint of each log for monitors.

use std::{io, net::TcpListener, time::Duration};

use actix_web::{
    App, HttpResponse, HttpResponseBuilder, HttpServer, ResponseError,
    dev::Server,
    http::{StatusCode, header},
    web::{Data, Path, Payload, get, post},
};

use super::{cosigning::Witness, model::WitnessRefusal};
use crate::web::body::receive_payload;

/// Upper bound of a request, in bytes: 63 hashes have 2,835, a checkpoint with the signatures of some
/// dozen witnesses fits too.
const REQUEST_BYTES_MAX: usize = 64 * 1024;
/// How long a client may take to send a request's head.
const HEAD_MAX: Duration = Duration::from_secs(5);
/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Connections at once.
const CONNECTIONS_MAX: usize = 256;
/// How long a stop waits for requests, in seconds.
const STOP_SECS: u64 = 6;
/// Type of the size in a conflict's answer.
const SIZE_TYPE: &str = "text/x.tlog.size";
const TEXT_TYPE: &str = "text/plain; charset=utf-8";

/// Serves `witness` on one thread.
pub(super) fn serve(witness: Witness, listener: TcpListener) -> io::Result<Server> {
    let server = HttpServer::new(move || {
        App::new()
            .app_data(Data::new(witness.clone()))
            .route("/add-checkpoint", post().to(add_checkpoint))
            .route("/{origin_hash}/checkpoint", get().to(show_checkpoint))
    });
    let server = server
        .workers(1)
        .max_connections(CONNECTIONS_MAX)
        .client_request_timeout(HEAD_MAX)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(STOP_SECS)
        .disable_signals();
    Ok(server.listen(listener)?.run())
}

/// `POST /add-checkpoint`
async fn add_checkpoint(witness: Data<Witness>, payload: Payload) -> HttpResponse {
    let body = match receive_payload(payload.into_inner(), REQUEST_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return HttpResponseBuilder::new(error.status_code()).finish(),
    };
    let cosigned = match String::from_utf8(body.to_vec()) {
        Ok(request) => witness.add_checkpoint(request).await,
        Err(_) => Err(WitnessRefusal::Malformed),
    };
    match cosigned {
        Ok(line) => answer(StatusCode::OK, TEXT_TYPE, line),
        Err(WitnessRefusal::OtherSize(size)) => {
            answer(StatusCode::CONFLICT, SIZE_TYPE, format!("{size}\n"))
        }
        Err(refusal) => refused(&refusal),
    }
}

/// `GET /{origin_hash}/checkpoint`
async fn show_checkpoint(witness: Data<Witness>, origin_hash: Path<String>) -> HttpResponse {
    match witness.find_checkpoint(origin_hash.into_inner()).await {
        Ok(Some(note)) => answer(StatusCode::OK, TEXT_TYPE, note),
        Ok(None) => refused(&WitnessRefusal::UnknownLog),
        Err(refusal) => refused(&refusal),
    }
}

fn answer(status: StatusCode, content_type: &'static str, body: String) -> HttpResponse {
    HttpResponseBuilder::new(status)
        .insert_header((header::CONTENT_TYPE, content_type))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(body)
}

fn refused(refusal: &WitnessRefusal) -> HttpResponse {
    if let WitnessRefusal::Disk(error) = refusal {
        tracing::error!(%error, "{refusal}");
    }
    answer(status_of(refusal), TEXT_TYPE, format!("{refusal}\n"))
}

fn status_of(refusal: &WitnessRefusal) -> StatusCode {
    match refusal {
        WitnessRefusal::Malformed => StatusCode::BAD_REQUEST,
        WitnessRefusal::UnknownLog => StatusCode::NOT_FOUND,
        WitnessRefusal::NotSigned => StatusCode::FORBIDDEN,
        WitnessRefusal::OtherSize(_) => StatusCode::CONFLICT,
        WitnessRefusal::Inconsistent => StatusCode::UNPROCESSABLE_ENTITY,
        WitnessRefusal::Full | WitnessRefusal::Busy => StatusCode::SERVICE_UNAVAILABLE,
        WitnessRefusal::Disk(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
